import Foundation

/// A folder of its own for one test; removed with the value.
final class ScratchFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "sluice-test-files-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { _ = try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file, and the folders it is in.
  func write(_ name: String, _ text: String = "{}") throws {
    let file = path + "/" + name
    let folder = (file as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
  }

  /// Writes a file that was last changed an hour ago, as an export of yesterday is.
  ///
  /// - Returns: its path.
  func write(_ text: String, as name: String) throws -> String {
    try write(name, text)
    let file = path + "/" + name
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: file)
    return file
  }

  /// The same for bytes that need not be text.
  func write(_ bytes: [UInt8], as name: String) throws -> String {
    let file = try write("", as: name)
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: file)
    return file
  }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: path + "/" + name, withDestinationPath: path + "/" + target)
  }
}
