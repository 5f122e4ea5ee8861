"""Deliberately broken builds, one for each fault that people met on the road: ci/roads must find every one of them."""

from dataclasses import dataclass

from CrashSweep.mutations import PUBLISHER, UPDATER, Mutation


@dataclass(frozen=True)
class Mutant:
    """A fault put back: changes of the sources, and the kinds of violations by which it is found."""

    name: str
    changes: tuple
    kinds: tuple
    rounds: int = 400


def change(name, file, *replacements):
    """Replacements in one file."""
    return Mutation(name, file, replacements, ())


MUTANTS = [
    Mutant("D1-adopted-as-it-is", (
        change("D1-adopted-as-it-is", f"{PUBLISHER}/Hosting/Adoption.swift",
               ("let manifest = try old.manifest.inOwnLayout(of: settings)", "let manifest = old.manifest"),
               ("oldWrites = isKept ? places.writes : []", "oldWrites = []")),
        change("D1-adopted-as-it-is", f"{PUBLISHER}/Hosting/FeedPlan.swift",
               ("try await rehearsal.run(old: adoption.old.manifest)", "_ = (rehearsal, adoption)"))),
        ("verify-folder", "old-addresses", "device-update")),
    Mutant("D2-numbers-anew", (change(
        "D2-numbers-anew", f"{PUBLISHER}/Hosting/LiveFeedQuestion.swift",
        ("if let own, own >= live { return nil }", "if (own ?? live) >= live { return nil }")),),
        ("must-refuse init-unmentioned D2", "must-refuse init-over-live D2")),
    Mutant("D5-again", (change(
        "D5-again", f"{PUBLISHER}/Release/RollbackBuilder.swift",
        ("moment.advanced(bySeconds: -Self.impatienceSeconds)", "moment.advanced(bySeconds: Self.impatienceSeconds)")),),
        ("must-refuse rollback D5",)),
    Mutant("D6-withdrawn-again", (
        change("D6-withdrawn-again", f"{PUBLISHER}/Gate/Static/WithdrawnContentCheck.swift",
               ("guard let newest = versions.last else", "guard let newest = versions.last, versions.isEmpty else")),
        change("D6-withdrawn-again", f"{PUBLISHER}/Release/RollbackBuilder.swift",
               ("if let twin = twins.first, !request.allowsWithdrawn {", "if let twin = twins.first, twins.isEmpty {"))),
        ("must-refuse publish D6", "must-refuse rollback D6")),
    Mutant("B92-damage-is-a-race", (change(
        "B92-damage-is-a-race", f"{PUBLISHER}/Signing/FeedState+Signed.swift",
        ("} catch  where error.code == .conflict || error.isDamage {", "} catch  where error.code == .busy {")),),
        ("must-work publish", "must-work refresh", "must-work key", "must-work repair", "must-work root-prepare")),
    Mutant("D7-heard-too-late", (change(
        "D7-heard-too-late", f"{UPDATER}/Work/UpdateRun.swift",
        ("    try hearBeforeDownload(offer, in: store)\n", "")),), ("withdrawn-runs",)),
]
