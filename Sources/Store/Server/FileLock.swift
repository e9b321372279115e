internal import Core
internal import Glibc

/// Runs a body under an exclusive `flock` on a file, created where it is missing; waits for its turn.
///
/// The kernel releases the lock when the process ends in any way, so it can never be stale.
func withFileLock<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
  let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
  guard descriptor >= 0 else {
    throw Problem(.cannotCreate, at: path, "cannot open the lock file", because: lastError())
  }
  defer { close(descriptor) }
  while flock(descriptor, LOCK_EX) != 0 {
    guard errno == EINTR else {
      throw Problem(.cannotCreate, at: path, "cannot lock", because: lastError())
    }
  }
  return try body()
}
