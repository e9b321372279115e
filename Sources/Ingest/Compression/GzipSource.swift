internal import CCompression
internal import Core

/// The content of a gzip stream: all members, one after the other.
///
/// Zeros behind the last member are padding; anything else there is counted and left alone.
final class GzipSource: ByteSource {
  let name: String
  private let input: BufferedSource
  private let notes: InputNotes
  /// The library keeps its address.
  private let stream: UnsafeMutablePointer<z_stream>
  private var state = State.betweenMembers

  private enum State {
    case betweenMembers, inMember, ended
  }

  init(_ input: BufferedSource, notes: InputNotes) {
    name = input.name
    self.input = input
    self.notes = notes
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard sluice_inflate_init_gzip(stream) == Z_OK else { preconditionFailure("out of memory") }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
    while state != .ended {
      if state == .betweenMembers {
        state = try startsMember() ? .inMember : .ended
        continue
      }
      let count = try inflate(into: buffer)
      if count > 0 { return count }
    }
    return 0
  }

  /// One step of the library; may give nothing.
  private func inflate(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
    // At the end of the input the library may still hold back some output.
    let hasInput = try input.fill(1)
    let available = input.available
    let room = min(buffer.count, 1 << 30)
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: available.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(available.count)
    stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(room)
    let result = CCompression.inflate(stream, Z_NO_FLUSH)
    let taken = available.count - Int(stream.pointee.avail_in)
    let given = room - Int(stream.pointee.avail_out)
    input.take(taken)
    switch result {
    case Z_STREAM_END:
      state = .betweenMembers
      inflateReset(stream)
    case Z_OK where hasInput || given > 0, Z_BUF_ERROR where taken + given > 0: break
    case Z_OK, Z_BUF_ERROR:
      notes.noteTruncated(name, what: "its last gzip member")
      state = .ended
    default:
      notes.noteDamaged(name, because: stream.pointee.msg.map { String(cString: $0) } ?? "bad data")
      state = .ended
    }
    return given
  }

  /// Looks at what stands where a member may begin.
  private func startsMember() throws(Problem) -> Bool {
    _ = try input.fill(2)
    let head = input.available
    guard head.first == 0x1F, head.count == 1 || head[1] == 0x8B else {
      notes.noteStray(try input.drain())
      return false
    }
    if head.count == 1 { notes.noteTruncated(name, what: "its last gzip member") }
    return head.count > 1
  }
}

extension BufferedSource {
  /// Takes all that is left.
  ///
  /// - Returns: how many bytes that were, zeros at the start not counted.
  func drain() throws(Problem) -> Int {
    var count = 0
    while try fill(1) {
      count += count == 0 ? available.drop { $0 == 0 }.count : available.count
      take(available.count)
    }
    return count
  }
}
