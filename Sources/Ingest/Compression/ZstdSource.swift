internal import CCompression
internal import Core

/// The content of a zstd stream: all frames, one after the other, skippable ones passed over.
///
/// Zeros behind the last frame are padding; anything else there is counted and left alone. A frame
/// that asks for a window of more than 128 MB is refused, as the library does by default.
final class ZstdSource: ByteSource {
  let name: String
  private let input: BufferedSource
  private let notes: InputNotes
  private let context: OpaquePointer
  private var state = State.betweenFrames

  private enum State {
    case betweenFrames, inFrame, ended
  }

  init(_ input: BufferedSource, notes: InputNotes) {
    guard let context = ZSTD_createDCtx() else { preconditionFailure("out of memory") }
    name = input.name
    self.input = input
    self.notes = notes
    self.context = context
  }

  deinit { ZSTD_freeDCtx(context) }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
    while state != .ended {
      if state == .betweenFrames {
        state = try startsFrame() ? .inFrame : .ended
        continue
      }
      let count = try decompress(into: buffer)
      if count > 0 { return count }
    }
    return 0
  }

  /// One step of the library; may give nothing.
  private func decompress(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
    // At the end of the input the library may still hold back some output.
    let hasInput = try input.fill(1)
    let available = input.available
    var from = ZSTD_inBuffer(src: available.baseAddress, size: available.count, pos: 0)
    var to = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
    let result = ZSTD_decompressStream(context, &to, &from)
    input.take(from.pos)
    if ZSTD_isError(result) != 0 {
      notes.noteDamaged(name, because: String(cString: ZSTD_getErrorName(result)))
      state = .ended
    } else if result == 0 {
      state = .betweenFrames
    } else if !hasInput && to.pos == 0 {
      notes.noteTruncated(name, what: "its last zstd frame")
      state = .ended
    }
    return to.pos
  }

  /// Looks at what stands where a frame may begin.
  private func startsFrame() throws(Problem) -> Bool {
    _ = try input.fill(4)
    let head = input.available.prefix(4)
    let isFrame = head.elementsEqual([0x28, 0xB5, 0x2F, 0xFD].prefix(head.count))
    let isSkippable =
      head.first.map { $0 & 0xF0 == 0x50 } == true
      && head.dropFirst().elementsEqual([0x2A, 0x4D, 0x18].prefix(head.count - 1))
    guard !head.isEmpty, isFrame || isSkippable else {
      notes.noteStray(try input.drain())
      return false
    }
    if head.count < 4 { notes.noteTruncated(name, what: "its last zstd frame") }
    return head.count == 4
  }
}
