@testable import Core

/// Published vectors of bucket v1, computed with another implementation of MD5 (Python's hashlib).
enum BucketVectors {
  static let all: [(salt: Bytes, profile: Bytes, number: Int)] = [
    ("launch", "p1", 45),
    ("launch", "p2", 4),
    ("", "", 23),
    ("a", "b:c", 85),
    ("a:b", "c", 85),
    ("holdout-2026", "7c1d8a9e-0000-4a00-8000-000000000001", 71),
    ("ä", "😀", 64),
    ("paywall", "cu:42", 74),
  ]
}
