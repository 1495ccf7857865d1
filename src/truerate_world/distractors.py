"""Wrong values near a right one, far from it, or only too broad: the substance of hallucinations."""

from truerate_world.domains import N_CATEGORY, RELATIONS, Value
from truerate_world.draws import draw, pick
from truerate_world.encyclopedia import World

NEAR_YEARS, FAR_YEARS = 9, 15  # a year this close is near; one this far is surely not
NEAR_SHARE, FAR_SHARE = 0.15, 0.4  # the same for other numbers, as a share of the right one


def is_near(world: World, right: Value, relation: str, other: Value) -> bool:
    """Whether a wrong value shares decade, size, position in a list or a stated fact with the right one."""
    if right[0] != other[0]:
        return False
    kind, content = right
    if kind == "e":
        return other[1] in world.near[content]
    if kind == "c":
        return other[1] in _neighbours(content)
    if kind == "d":
        return abs(other[1] - content) <= 10
    if RELATIONS[relation].is_year:
        return abs(other[1] - content) <= NEAR_YEARS
    return abs(other[1] - content) <= max(1, NEAR_SHARE * content)


def is_same_type(world: World, right: Value, other: Value) -> bool:
    """Whether two values are of one kind; of entities, of one domain; of categories, of one list."""
    if right[0] != other[0]:
        return False
    if right[0] == "e":
        return world.entities[right[1]].domain == world.entities[other[1]].domain
    return right[0] != "c" or right[1].split("/")[0] == other[1].split("/")[0]


def near_values(world: World, right: Value, relation: str, *key: object) -> list[Value]:
    """Wrong values that lie near the right one; of numbers a drawn handful."""
    kind, content = right
    if kind == "e":
        return [("e", other) for other in sorted(world.near[content])]
    if kind == "c":
        return [("c", other) for other in _neighbours(content)]
    if kind == "d":
        return [("d", content - 10), ("d", content + 10)]
    if RELATIONS[relation].is_year:
        steps = [1 + int(draw(*key, "near", index) * NEAR_YEARS) for index in range(4)]
        return [("n", content + (step if index % 2 else -step)) for index, step in enumerate(steps)]
    unit = RELATIONS[relation].step
    reach = max(1, int(NEAR_SHARE * content / unit))
    steps = [unit * (1 + int(draw(*key, "near", index) * reach)) for index in range(4)]
    moves = [step if index % 2 else -step for index, step in enumerate(steps) if content > step]
    return [("n", content + move) for move in moves]


def far_values(world: World, right: Value, relation: str, *key: object) -> list[Value]:
    """Wrong values of the right one's type that share no property with it; of numbers a drawn handful."""
    kind, content = right
    if kind == "e":
        mates = world.by_domain[world.entities[content].domain]
        return [("e", other) for other in mates if other != content and other not in world.near[content]]
    if kind == "c":
        name = content.split("/")[0]
        every = [f"{name}/{index}" for index in range(N_CATEGORY)]
        return [("c", other) for other in every if other != content and other not in _neighbours(content)]
    if kind == "d":
        return [("d", content - step) for step in (30, 40, 60)] + [("d", min(content + 30, 2090))]
    if RELATIONS[relation].is_year:
        steps = [FAR_YEARS + int(draw(*key, "far", index) * 60) for index in range(4)]
        is_past = [index % 2 or content + step > 2018 for index, step in enumerate(steps)]
        return [
            ("n", content - step if past else content + step)
            for step, past in zip(steps, is_past, strict=True)
        ]
    unit = RELATIONS[relation].step
    shares = [FAR_SHARE + draw(*key, "far", index) * 0.5 for index in range(4)]
    factors = [1 + 2 * share if index % 2 else 1 - share for index, share in enumerate(shares)]
    numbers = sorted({round(content * factor / unit) * unit for factor in factors})
    return [("n", n) for n in numbers if n > 0 and not is_near(world, right, relation, ("n", n))]


def foreign_values(world: World, right: Value, *key: object) -> list[Value]:
    """Entities of domains other than the right one's."""
    text = world.entities[right[1]].domain if right[0] == "e" else ""
    domain = pick([name for name in world.by_domain if name != text], *key, "foreign")
    return [("e", other) for other in world.by_domain[domain]]


def wrong_value(world: World, right: Value, relation: str, *key: object) -> Value:
    """Some wrong value of the right one's type, near or far."""
    near = near_values(world, right, relation, *key)
    far = far_values(world, right, relation, *key)
    options = (near if draw(*key, "is near") < 0.5 else far) or near or far
    return pick(options, *key, "wrong")


def _neighbours(entry: str) -> tuple[str, str]:
    name, text = entry.split("/")
    return f"{name}/{(int(text) - 1) % N_CATEGORY}", f"{name}/{(int(text) + 1) % N_CATEGORY}"
