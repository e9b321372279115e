#!/usr/bin/env python3
"""Writes onboarding events in the canonical envelope: the same seed gives the same bytes.

usage: generate.py SESSIONS [--seed N] [--start 2026-11-02T07:00:00Z] [--profiles-per-session 0.8]  > events.ndjson

A session is one onboarding of about ten events: screens, a weight and a height in one of several
spellings, some people who go back, clear an answer, stop half-way or type what is no number; one event
in a hundred comes twice. Profiles come back for further sessions.
"""
import argparse, datetime, random, sys, uuid

parser = argparse.ArgumentParser()
parser.add_argument("sessions", type=int)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--start", default="2026-11-02T07:00:00Z")
parser.add_argument("--profiles-per-session", type=float, default=0.8)
options = parser.parse_args()

rng = random.Random(options.seed)
start = int(datetime.datetime.fromisoformat(options.start.replace("Z", "+00:00")).timestamp() * 1000)
places = [("en_US", "US"), ("en_US", "US"), ("en_GB", "GB"), ("de_DE", "DE"), ("fr_FR", "FR"), ("pt_BR", "BR"), ("ja_JP", "JP")]


def identifier() -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def stamp(ms: int) -> str:
    return datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"


def screen(name: str, order: int, last: bool = False) -> str:
    return ('{"name":"flow_screen_showed","instanceId":"%s","screen_order":%d,"is_last_screen":%s,"isBackendEvent":true,"isCustomerEvent":true}'
            % (name, order, "true" if last else "false"))


def answer(element: str, value: str, kind: str = "number_input") -> str:
    return ('{"name":"flow_user_input","instanceId":"scr_%s","element_id":"%s","element_type":"%s","value":"%s","isBackendEvent":false,"isCustomerEvent":true}'
            % (element, element, kind, value))


def number(low: float, high: float, locale: str) -> str:
    if rng.random() < 0.01:
        return rng.choice(["", "abc", "1.234", "about 80"])
    if rng.random() < 0.3:
        text = f"{rng.uniform(low, high):.1f}"
        return text.replace(".", ",") if locale in ("de_DE", "fr_FR", "pt_BR") else text
    return str(rng.randint(int(low), int(high)))


profiles = max(1, int(options.sessions * options.profiles_per_session))
ids = [identifier() for _ in range(profiles)]
write = sys.stdout.write
for index in range(options.sessions):
    profile = ids[index] if index < profiles else rng.choice(ids)
    session = identifier()
    locale, country = rng.choice(places)
    platform = "Android" if rng.random() < 0.4 else "iOS"
    version = rng.choice(["4.1.0", "4.2.0"])
    now = start + index * 400
    events = [("flow_appeared", None)]
    events.append(("flow_screen_showed", screen("scr_welcome", 0)))
    events.append(("flow_screen_showed", screen("scr_goal", 1)))
    goal = rng.choice([("lose", "Lose weight"), ("gain", "Gain muscle"), ("keep", "Keep fit")])
    events.append(("flow_user_input",
                   '{"name":"flow_user_input","instanceId":"scr_goal","element_id":"goal","element_type":"single_choice","item_ids":["%s"],"item_titles":["%s"],"isBackendEvent":false,"isCustomerEvent":true}' % goal))
    events.append(("flow_screen_showed", screen("scr_weight", 2)))
    events.append(("flow_user_input", answer("weight", number(45, 140, locale))))
    if rng.random() < 0.1:
        events.append(("flow_screen_showed", screen("scr_goal", 1)))
        events.append(("flow_screen_showed", screen("scr_weight", 2)))
        events.append(("flow_user_input", answer("weight", number(45, 140, locale))))
    events.append(("flow_screen_showed", screen("scr_height", 3)))
    events.append(("flow_user_input", answer("height", number(150, 200, locale))))
    events.append(("flow_screen_showed", screen("scr_done", 4, last=True)))
    events.append(("flow_disappeared", None))
    if rng.random() < 0.35:
        events = events[: rng.randint(2, len(events) - 2)] + [events[-1]]
    for counter, (name, params) in enumerate(events):
        now += rng.randint(400, 9000)
        line = ('{"event_id":"%s","event_name":"%s","profile_id":"%s","session_id":"%s","occurred_at":"%s","counter":%d,'
                '"placement_id":"onboarding","flow_id":"onboarding_body","platform":"%s","app_version":"%s","locale":"%s","country":"%s"%s}\n'
                % (identifier(), name, profile, session, stamp(now), counter, platform, version, locale, country,
                   "" if params is None else ',"params":' + params))
        write(line)
        if rng.random() < 0.01:
            write(line)
