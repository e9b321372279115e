internal import Glibc

/// What has to be written so that a table holds the new rows instead of the present ones.
struct RowDifference {
  /// Present rows to delete: their key is gone, or its other columns change.
  var deleted: [RowBuffer.Row] = []
  /// New rows to load, in the order in which they were built.
  var inserted: [RowBuffer.Row] = []
  /// Pairs with one key and other columns; each is in `deleted` and `inserted` too.
  var changed: [(old: RowBuffer.Row, new: RowBuffer.Row)] = []
  /// Rows whose key is on one side only.
  var appeared: [RowBuffer.Row] = []
  var vanished: [RowBuffer.Row] = []

  /// Compares rows byte by byte; keys on each side are unique.
  init(from present: RowBuffer, to wanted: RowBuffer) {
    guard !present.isEmpty else {
      inserted = wanted.rows
      appeared = wanted.rows
      return
    }
    present.bytes.withUnsafeBytes { old in
      wanted.bytes.withUnsafeBytes { new in
        merge(present, old, wanted, new)
      }
    }
  }

  /// Walks both sides in one order of the keys' bytes.
  ///
  /// It is not the tables' order, and need not be.
  private mutating func merge(
    _ present: RowBuffer, _ old: UnsafeRawBufferPointer, _ wanted: RowBuffer,
    _ new: UnsafeRawBufferPointer
  ) {
    let left = present.rows.sorted { order($0, old, $1, old) < 0 }
    let right = wanted.rows.indices.sorted { order(wanted.rows[$0], new, wanted.rows[$1], new) < 0 }
    var isInserted = [Bool](repeating: false, count: wanted.rows.count)
    var (i, j) = (0, 0)
    while i < left.count || j < right.count {
      let comparison: Int32 =
        if i == left.count {
          1
        } else if j == right.count {
          -1
        } else {
          order(left[i], old, wanted.rows[right[j]], new)
        }
      if comparison < 0 {
        vanished.append(left[i])
        deleted.append(left[i])
        i += 1
      } else if comparison > 0 {
        appeared.append(wanted.rows[right[j]])
        isInserted[right[j]] = true
        j += 1
      } else {
        let row = wanted.rows[right[j]]
        if !isEqual(left[i], old, row, new) {
          changed.append((left[i], row))
          deleted.append(left[i])
          isInserted[right[j]] = true
        }
        i += 1
        j += 1
      }
    }
    for (index, row) in wanted.rows.enumerated() where isInserted[index] { inserted.append(row) }
  }
}

private func order(
  _ left: RowBuffer.Row, _ old: UnsafeRawBufferPointer, _ right: RowBuffer.Row,
  _ new: UnsafeRawBufferPointer
) -> Int32 {
  let (a, b) = (old[(left.start + 2)..<left.keyEnd], new[(right.start + 2)..<right.keyEnd])
  let common = compare(a, b, min(a.count, b.count))
  return common != 0 ? common : Int32(clamping: a.count - b.count)
}

private func isEqual(
  _ left: RowBuffer.Row, _ old: UnsafeRawBufferPointer, _ right: RowBuffer.Row,
  _ new: UnsafeRawBufferPointer
) -> Bool {
  let (a, b) = (old[left.start..<left.end], new[right.start..<right.end])
  return a.count == b.count && compare(a, b, a.count) == 0
}

private func compare(
  _ a: Slice<UnsafeRawBufferPointer>, _ b: Slice<UnsafeRawBufferPointer>, _ count: Int
) -> Int32 {
  let (left, right) = (UnsafeRawBufferPointer(rebasing: a), UnsafeRawBufferPointer(rebasing: b))
  guard count > 0, let first = left.baseAddress, let second = right.baseAddress else { return 0 }
  return memcmp(first, second, count)
}
