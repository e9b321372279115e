import Foundation
import Store
import Synchronization

/// Stands between a program and the server of a scratch database, and closes the connection instead
/// of passing on the answer to the first `commit`: the commit took place, and nobody knows.
final class CommitEatingProxy: Sendable {
  let address: DatabaseAddress
  private let folder: String
  private let listener: Int32
  private let meals = Meals()

  private final class Meals: Sendable {
    let count = Mutex(0)
  }

  var eaten: Int { meals.count.withLock { $0 } }

  init(before database: ScratchDatabase) throws {
    folder = "/tmp/sluice-proxy-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    address = DatabaseAddress(
      "host=\(folder) port=5432 user=sluice dbname=\(database.name)", words: "proxy",
      isOnlyFromEnvironment: false)
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    _ = Self.withAddress(folder) { bind(listener, $0, $1) }
    listen(listener, 8)
    let server = ScratchServer.socketFolder
    let (listening, meals) = (self.listener, self.meals)
    Thread.detachNewThread {
      while case let client = accept(listening, nil, nil), client >= 0 {
        let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        _ = Self.withAddress(server) { connect(upstream, $0, $1) }
        Thread.detachNewThread { Self.pump(client, upstream, meals) }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    try? FileManager.default.removeItem(atPath: folder)
  }

  private static func pump(_ client: Int32, _ server: Int32, _ meals: Meals) {
    defer {
      close(client)
      close(server)
    }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let commit = Array("commit\0".utf8)
    var isEating = false
    while true {
      var ends = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0),
        pollfd(fd: server, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&ends, 2, 10_000) > 0 else { return }
      for (from, to) in [(0, server), (1, client)] where ends[from].revents != 0 {
        let length = read(ends[from].fd, &buffer, buffer.count)
        guard length > 0 else { return }
        // The answer is here, so the commit is done: now the line breaks.
        if from == 1, isEating { return }
        if from == 0, buffer[..<length].ends(with: commit),
          meals.count.withLock({ $0 == 0 })
        {
          meals.count.withLock { $0 += 1 }
          isEating = true
        }
        _ = write(to, buffer, length)
      }
    }
  }

  private static func withAddress<Value>(
    _ folder: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
  ) -> Value {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: Array((folder + "/.s.PGSQL.5432").utf8))
    }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

extension ArraySlice where Element == UInt8 {
  fileprivate func ends(with suffix: [UInt8]) -> Bool {
    self.suffix(suffix.count).elementsEqual(suffix)
  }
}
