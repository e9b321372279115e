import Core
import Testing

@testable import sluice

@Suite("Pipeline tests with access levels")
struct SubscriptionPipelineTests {
  @Test("whole events of a pipeline's test may carry profiles and messages")
  func tests() async throws {
    let folder = try ScratchFolder()
    let path = try folder.write(
      """
      pipeline: p
      custom: { coins: number }
      segments:
        premium: access.premium.is_active is not false
        rich: custom.coins >= 100
        expired: access.premium.is_active is false and access.premium.expires_at is not null
      next:
        - { when: store_message.storekit_4.is_pending, nothing: true, because: message first }
        - { when: premium, nothing: true, because: pays already }
        - { placement: paywall }
      tests:
        - name: pays
          events:
            - event_name: profile_updated
              profile_id: p1
              occurred_at: 2026-07-01T08:00:00Z
              params:
                timestamp: 1782892800000
                customAttributes: { coins: 250 }
                accessLevels: { premium: { isActive: true, willRenew: true, expiresAt: 2026-08-01T08:00:00.000+0000 } }
          expect: { segments: [premium, rich], next: null, because: pays already }
        - name: paid until a while ago
          events:
            - event_name: profile_updated
              profile_id: p1
              occurred_at: 2026-07-01T08:00:00Z
              params:
                timestamp: 1782892800000
                paid_access_levels: { premium: { is_active: true, will_renew: false, expires_at: 2026-08-01T08:00:00.000+0000 } }
            - { event_name: app_opened, profile_id: p1, occurred_at: 2026-08-01T08:00:00Z }
          expect: { segments: [expired], next: paywall }
        - name: a message first
          events:
            - { event_name: store_message_queued, profile_id: p1, occurred_at: 2026-08-01T08:00:00Z, params: { type: storekit_4 } }
          expect: { segments: [], next: null, because: message first }
      """, as: "p.yaml")
    let run = try await CommandRun(["test", path])
    #expect(run.code == .done, "\(run.output) \(run.words)")
  }
}
