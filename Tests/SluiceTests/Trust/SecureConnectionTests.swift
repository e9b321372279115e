import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

/// A server on TCP that wants a password and has a certificate; on a loopback address of its own.
private final class SecureServer {
  static let password = "open %sesame"
  let home = "/tmp/sluice-tls-\(UUID().uuidString.prefix(8))"
  let address = "127.\((1...200).randomElement() ?? 1).\(getpid() % 200 + 1).7"
  private var server: EmbeddedServer {
    EmbeddedServer(
      home: home,
      settings: [
        "fsync": "off", "shared_buffers": "16MB", "listen_addresses": address, "ssl": "on",
        "ssl_cert_file": "server.crt", "ssl_key_file": "server.key",
        "password_encryption": "scram-sha-256",
      ])
  }

  init() throws {
    // The data first: certificate and rules lie in it.
    let plain = EmbeddedServer(home: home, settings: ["fsync": "off", "shared_buffers": "16MB"])
    try plain.start()
    try Connection(plain.url, named: "test").executeScript(
      "create role anna login password '\(Self.password)'; grant create on database sluice to anna")
    try plain.stop()
    try FileManager.default.createDirectory(atPath: home + "/ca", withIntermediateDirectories: true)
    try bash(
      """
      cd "$1/ca"
      openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -subj /CN=ca -days 2
      openssl req -x509 -newkey rsa:2048 -nodes -keyout other.key -out other.crt -subj /CN=ca -days 2
      openssl req -new -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=localhost
      printf 'subjectAltName=DNS:localhost\\n' >names
      sign() { openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out "$1" -days "$2" -extfile names; }
      sign good.crt 2
      sign old.crt -1
      cp server.key "$1/data/server.key"
      printf 'local all all trust\\nhost all all 127.0.0.0/8 scram-sha-256\\n' >"$1/data/pg_hba.conf"
      """)
    try use("good.crt")
  }

  deinit {
    try? server.stop()
    try? FileManager.default.removeItem(atPath: home)
  }

  /// Starts it anew with a certificate.
  func use(_ certificate: String) throws {
    try server.stop()
    try bash(
      """
      cp "$1/ca/\(certificate)" "$1/data/server.crt"
      chown --reference="$1/data" "$1/data/server.crt" "$1/data/server.key"
      chmod 600 "$1/data/server.crt" "$1/data/server.key"
      """)
    try server.start()
  }

  private func bash(_ script: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-ec", script, "-", home]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  /// Words that reach it by name and verify what they are told to.
  func conninfo(_ more: String, mode: String = "verify-full", authority: String = "ca.crt")
    -> String
  {
    "host=localhost hostaddr=\(address) port=5432 dbname=sluice user=anna sslmode=\(mode) sslrootcert=\(home)/ca/\(authority) \(more)"
  }
}

/// Case 51: one line of cause, 69, and the password nowhere.
@Suite("Passwords and certificates", .serialized, .timeLimit(.minutes(15)))
struct SecureConnectionTests {
  private func run(_ arguments: [String], _ environment: [String: String] = [:]) throws
    -> (code: Int32, output: String, words: String)
  {
    let done = try ProgramRun(arguments, environment: environment).end()
    for secret in [SecureServer.password, "sesame", "wrongword"] {
      #expect(!done.output.contains(secret) && !done.words.contains(secret), "\(done.words)")
    }
    return done
  }

  @Test(
    "a password comes from the URL, PGPASSWORD, a pass file or a service file, and is never said")
  func passwords() throws {
    let server = try SecureServer()
    let folder = try ScratchFolder()
    let encoded = "open%20%25sesame"
    let base =
      "localhost:5432/sluice?hostaddr=\(server.address)&sslmode=verify-full&sslrootcert=\(server.home)/ca/ca.crt"
    let migrate = try run(["migrate", "--database", "postgresql://anna:\(encoded)@\(base)"])
    #expect(migrate.code == 0, "\(migrate.words)")
    #expect(migrate.words.contains("database sluice on localhost:5432"))
    let report = ["report", "segments", "--database", server.conninfo("")]
    #expect(try run(report, ["PGPASSWORD": SecureServer.password]).code == 0)
    let pass = try folder.write(
      "localhost:5432:sluice:anna:\(SecureServer.password)\n", as: "pass")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: pass)
    #expect(try run(report, ["PGPASSFILE": pass]).code == 0)
    let service = try folder.write(
      """
      [fitness]
      host=localhost
      hostaddr=\(server.address)
      dbname=sluice
      user=anna
      password=\(SecureServer.password)
      sslmode=verify-full
      sslrootcert=\(server.home)/ca/ca.crt

      """, as: "service")
    let named = ["PGSERVICE": "fitness", "PGSERVICEFILE": service]
    #expect(try run(["report", "segments"], named).code == 0)
    // A password that is wrong: one line, and which it was is not in it.
    for (arguments, environment) in [
      (["report", "segments", "--database", "postgresql://anna:wrongword@\(base)"], [:]),
      (report, ["PGPASSWORD": "wrongword"]),
      (report, [:]),
    ] {
      let refused = try run(arguments, environment)
      #expect(refused.code == 69)
      #expect(refused.words.contains("password"))
      #expect(refused.words.contains("PGPASSWORD, a pass file or a service file"))
      #expect(refused.words.split(separator: "\n").count == 1)
    }
    try certificates(server)
  }

  private func certificates(_ server: SecureServer) throws {
    let password = ["PGPASSWORD": SecureServer.password]
    func report(_ conninfo: String) throws -> (code: Int32, output: String, words: String) {
      try run(["report", "segments", "--database", conninfo], password)
    }
    for (conninfo, cause) in [
      (server.conninfo("", authority: "other.crt"), "certificate verify failed"),
      (server.conninfo("", authority: "none.crt"), "does not exist"),
      (
        server.conninfo("").replacing("host=localhost", with: "host=db.example"),
        "does not match host name"
      ),
      (server.conninfo("").replacing(server.address, with: "127.255.255.1"), "refused"),
      ("host=no-such-host.invalid dbname=sluice user=anna", "could not translate host name"),
    ] {
      let refused = try report(conninfo)
      #expect(refused.code == 69)
      #expect(refused.words.contains(cause), "\(refused.words)")
      #expect(refused.words.split(separator: "\n").count == 1)
    }
    try server.use("old.crt")
    let expired = try report(server.conninfo(""))
    #expect(expired.code == 69)
    #expect(expired.words.contains("certificate verify failed"))
    #expect(expired.words.contains("let sslrootcert name the authority"))
  }
}
