import Foundation
import Testing

/// Texts that a person has read once, kept in files: sorted and clock-free.
enum Golden {
  static let folder = Checkout.folder + "/Tests/SluiceTests/Golden/"

  /// Compares with the file of this name.
  ///
  /// With `UPDATE_GOLDEN=1` the file is written anew, and the test fails: a person reads the diff.
  static func expect(
    _ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  )
    throws
  {
    let path = folder + name
    let known = try? String(contentsOfFile: path, encoding: .utf8)
    guard known != text else { return }
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      Issue.record("\(name) was written: read its diff", sourceLocation: sourceLocation)
    } else {
      Issue.record(
        "\(name) differs:\n\(text)\nUPDATE_GOLDEN=1 writes it", sourceLocation: sourceLocation)
    }
  }
}
