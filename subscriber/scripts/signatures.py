#!/usr/bin/env python3
"""Prints a table of src/xpti/functions/tables from the headers of an interface's versions, oldest first.

    pip download --no-deps intel-sycl-rt==2025.0.4       # the wheel holds ur_api.h; so for every version
    python3 signatures.py ur 2025.0=ur_api-2025.0.h … 2026.2=ur_api-2026.2.h > unified_runtime.txt
    apt-get download libze-dev        # of Debian's newest release: a loader tells of the calls that it knows
    cat level_zero/ze_api.h level_zero/layers/zel_tracing_register_cb.h > ze.h
    python3 signatures.py ze 1.32=ze.h > level_zero.txt

A tracing layer hands over each call's parameters as a row of pointers in parameter order. So all that a decoder needs
is the name and the type of each parameter: which is an array and how many elements it has, what is a result and only
there after the call, what a structure holds. The types are in the prototypes, the rest in the annotations of their
comments ([in], [out], [range(0, numDevices)], [typename(propName, propSize)], "must be ::UR_STRUCTURE_TYPE_…").

The head of the result explains its grammar.
"""
import re
import sys

HEAD = """\
# Functions of {interface}, their parameters, and the structures and enumerations that these refer to.
#
# Made by scripts/signatures.py from {header} {versions}.
#
# generation VERSION [FUNCTION]     parameters differ from here on; the loader exports this function from here on
# fn NAME [@FROM-TO] PARAMETER…     where FROM and TO count generations; without them it is the same in all
# struct NAME SIZE [@FROM-TO] [=TYPE] FIELD…    FIELD is NAME+OFFSET:TYPE, =TYPE the value of its first word
# enum NAME PREFIX VALUE=NAME[:TYPE]…           TYPE is that of the property which the value asks for
# flags NAME PREFIX BIT=NAME…
#
# PARAMETER is NAME:TYPE, and TYPE one of
#   p pointer or handle   z 8 bytes   u 4 bytes   i 4 bytes, signed   b truth value   l truth value of 4 bytes
#   s text   eNAME fNAME enumeration, flags   =NAME structure   *NAME pointer to a structure
#   [TYPE,COUNT array   *NAME,COUNT array of structures   (for a property [TYPE alone)
#   >TYPE result   >[TYPE,ROOM,COUNT array of results   >v,ROOM,PROPERTY property
"""

INTERFACES = {
    "ur": ("the Unified Runtime", "ur_api.h of intel-sycl-rt"),
    "ze": ("Level Zero", "ze_api.h and zel_tracing_register_cb.h of Debian's libze-dev"),
}
SCALARS = {
    "size_t": "z", "uint64_t": "z", "int64_t": "z", "uintptr_t": "p", "uint32_t": "u", "unsigned int": "u",
    "int32_t": "i", "int": "i", "double": "z", "float": "u", "bool": "b", "ur_bool_t": "b", "ze_bool_t": "b", "uint8_t": "b",
}
SIZES = {"p": 8, "z": 8, "u": 4, "i": 4, "b": 1, "l": 4, "s": 8}
# Arrays whose annotation does not say how many elements they have.
COUNTS = {"pSyncPointWaitList": "numSyncPointsInWaitList", "pGlobalWorkOffset": "workDim",
          "pGlobalWorkSize": "workDim", "pLocalWorkSize": "workDim", "phKernels": "count"}

# Pointers that may lie on a device: the program itself may not follow them.
ON_DEVICE = {"dstptr", "srcptr", "pLaunchArgumentsBuffer", "pCountBuffer"}


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


class Header:
    """What one ur_api.h says."""

    def __init__(self, text, x):
        self.text, self.x = text, x
        self.enumerators = {}
        every = lambda kind: dict(re.findall(rf"typedef {kind} _?({x}_\w+)\s*\{{(.*?)\}} \1;", text, re.S))
        self.enums = every("enum")
        self.bodies = {name: body for name, body in every("struct").items() if not name.endswith("_params_t")}
        self.traced = {name for name in every("struct") if name.endswith("_params_t")}
        self.unions = every("union")
        plain = without_comments(text)
        self.handles = set(re.findall(rf"typedef struct \w+\s*\*\s*({x}_\w+_t);", plain))
        aliases = re.findall(rf"typedef (u?int\w+_t|size_t|uintptr_t) ({x}_\w+);", plain)
        self.aliases = {name: of for of, name in aliases}
        self.callbacks = set(re.findall(rf"typedef \w+\s*\(\s*(?:\w+\s*)?\*\s*(\w+)\)", plain))
        self.values = {name: self.enum_values(body) for name, body in self.enums.items()}
        for values in self.values.values():
            self.enumerators.update({name: value for value, name, _ in values})
        self.functions = self.prototypes()

    def enum_values(self, body):
        values, comment, after = [], "", 0
        for line in body.split("\n"):
            code, _, note = line.partition("//")
            code = code.strip()
            comment += " " + note
            if not code:
                continue
            found = re.match(r"(\w+)\s*(?:=\s*([^,]+))?,?", code)
            if not found:
                continue
            name, value = found.groups()
            value = self.number(value) if value else after
            after = (value or 0) + 1
            if value is not None and not name.endswith("_FORCE_UINT32"):
                values.append((value, name, re.search(r"\[(?:::)?(\w+(?:\[\d*\])?(?: ?\*)?)\]", comment)))
            # Older headers have the comment behind the value.
            comment = ""
        return values

    def number(self, text):
        text = text.strip()
        bit = re.fullmatch(r"(?:UR|ZE)_BIT\(\s*(\d+)\s*\)", text)
        if bit:
            return 1 << int(bit[1])
        try:
            return int(text, 0)
        except ValueError:
            return self.enumerators.get(text)

    def prototypes(self):
        functions, x, upper = {}, self.x, self.x.upper()
        pattern = rf"{upper}_APIEXPORT {x}_result_t {upper}_APICALL\s+({x}\w+)\((.*?)\);"
        for name, body in re.findall(pattern, self.text, re.S):
            if re.search(rf"unction parameters for {name}\s", self.text):
                functions[name] = declarations(body, ",")
        return functions

    def type_code(self, c_type):
        """A scalar's code, or None."""
        c_type = re.sub(r"\bconst\b", "", c_type).strip()
        if c_type.endswith("*") or c_type in self.handles or c_type in self.callbacks:
            return "p"
        if c_type in self.aliases and c_type.endswith("_flags_t"):
            return "f" + c_type if c_type[:-3] + "_t" in self.enums else "u"
        c_type = self.aliases.get(c_type, c_type)
        if c_type in SCALARS:
            return SCALARS[c_type]
        return "e" + c_type if c_type in self.enums else None

    def layout(self, name):
        """Size, alignment and fields of a structure, those of structures in it included."""
        offset, alignment, fields = 0, 1, []
        for field, c_type, comment in declarations(self.bodies[name], ";"):
            code = self.type_code(c_type)
            if code:
                size = align = SIZES.get(code[0], 4)
                fields_here = [(field, 0, code, comment)]
            elif c_type in self.bodies:
                size, align, inner = self.layout(c_type)
                fields_here = [(f"{field}.{name}", at, code, note) for name, at, code, note in inner]
            elif c_type in self.unions:
                # The members share their place; a pointer is what all that matter begin with.
                members = [self.size(c_type) for _, c_type, _ in declarations(self.unions[c_type], ";")]
                size, align = max(size for size, _ in members), max(align for _, align in members)
                fields_here = [(field, 0, "p" if size >= 8 else "u", comment)]
            else:
                raise SystemExit(f"{name}.{field}: {c_type} is not known")
            offset = -(-offset // align) * align
            fields += [(name, offset + at, code, note) for name, at, code, note in fields_here]
            offset += size
            alignment = max(alignment, align)
        return -(-offset // alignment) * alignment, alignment, fields

    def size(self, c_type):
        code = self.type_code(c_type)
        if code:
            return (SIZES.get(code[0], 4),) * 2
        return self.layout(c_type)[:2]

    def struct_line(self, name):
        size, _, fields = self.layout(name)
        known = re.search(r"must be\s+(?:///\s*)?(?:<\s*)?::((?:UR|ZE)_STRUCTURE_TYPE_\w+)", re.sub(r"\n\s*///<?", "", self.bodies[name]))
        first = f" ={self.enumerators[known[1]]}" if known and known[1] in self.enumerators else ""
        cells = [f"{field}+{at}:{code}" for field, at, code, _ in fields if field != "stype"]
        return f"struct {name} {size}", first + " " + " ".join(cells)

    def parameter(self, function, name, c_type, comment, names):
        """A parameter's code, and the names of the structures that it refers to."""
        bare = re.sub(r"\bconst\b", "", c_type).strip()
        is_out = re.search(r"\[(in,\s*)?(out|inout)\]", comment)
        count = re.search(r"\[range\(0,\s*(\w+)\)\]", comment)
        count = count[1] if count else COUNTS.get(name)
        if count not in names:
            count = None
        if name in ON_DEVICE:
            return "p", []
        if bare.replace(" ", "") == "char*" and not is_out:
            return "s", []
        if not bare.endswith("*"):
            code = self.type_code(bare)
            if code:
                return code, []
            if bare in self.bodies:
                return "=" + bare, [bare]
            raise SystemExit(f"{function}.{name}: {c_type} is not known")
        pointee = bare[:-1].strip()
        element = self.type_code(pointee)
        if pointee == "void" or pointee in self.unions:
            named = re.search(r"\[typename\((\w+),\s*(\w+)\)\]", comment)
            if is_out and named and named[1] in names and named[2] in names:
                return f">v,{named[2]},{named[1]}", []
            return "p", []
        if is_out:
            if not element or pointee == "char":
                return "p", []
            if count:
                # How many there are is what the parameter behind it tells.
                told = names[names.index(name) + 1:][:1]
                told = told[0] if told and re.match(r"pNum|pnum", told[0]) else ""
                return (f">[{element},{count},{told}", []) if element in ("p", "z", "u") else ("p", [])
            return ">" + element, []
        if pointee in self.bodies:
            return f"*{pointee}" + (f",{count}" if count else ""), [pointee]
        if element and count and element[0] in "pzuief":
            return f"[{element},{count}", []
        return "p", []


def declarations(body, separator):
    """(name, type, comment) of each parameter or field."""
    found, code, comment = [], "", ""
    trailing = "///<" in body

    def finish(code, comment):
        parts = re.match(r"(.*?)(\w+)$", re.sub(r"\s+", " ", code).strip(), re.S)
        if parts and parts[1].strip():
            found.append([parts[2], re.sub(r"\s*\*\s*", "*", parts[1]).replace("*", " *").strip(), comment])

    for line in body.split("\n"):
        before, mark, note = line.partition("//")
        note = note.lstrip("/<").strip()
        if trailing:
            if before.strip():
                finish(before.strip().rstrip(separator), note)
            elif mark and found:
                found[-1][2] += " " + note
            continue
        comment += " " + note if mark else ""
        for piece in re.split(f"({separator})", before):
            if piece == separator:
                finish(code, comment)
                code, comment = "", ""
            else:
                code += " " + piece
    if not trailing:
        finish(code, comment)
    return [tuple(one) for one in found]


def ranges(per_generation):
    """(text, from, to) for each run of generations that have the same text."""
    runs = []
    for number, text in enumerate(per_generation):
        if text is None:
            continue
        if runs and runs[-1][0] == text and runs[-1][2] == number - 1:
            runs[-1][2] = number
        else:
            runs.append([text, number, number])
    return runs


def lines_of(kind, name, per_generation):
    """One line, or one for each form that it has had."""
    texts = {text for text in per_generation if text is not None}
    if len(texts) == 1:
        head, tail = texts.pop()
        return [f"{head}{tail}".rstrip()]
    return [f"{text[0]} @{first}-{last}{text[1]}".rstrip() for text, first, last in ranges(per_generation)]


def property_code(header, found):
    """The type of the property that an enumerator stands for."""
    if not found:
        return None
    c_type = found[1].replace(" ", "")
    if c_type in ("char[]", "char*"):
        return "s"
    if c_type.endswith("]"):
        code = header.type_code(c_type[:c_type.index("[")])
        return f"[{code}" if code else None
    return header.type_code(c_type)


def main(arguments):
    x, arguments = arguments[0], arguments[1:]
    versions = [argument.split("=", 1)[0] for argument in arguments]
    headers = [Header(open(argument.split("=", 1)[1]).read(), x) for argument in arguments]
    newest = headers[-1]
    names = sorted({name for header in headers for name in header.functions})
    functions, structs = {}, set()
    for name in names:
        forms = []
        for header in headers:
            parameters = header.functions.get(name)
            if parameters is None:
                forms.append(None)
                continue
            all_names = [parameter for parameter, _, _ in parameters]
            cells = []
            for parameter, c_type, comment in parameters:
                code, used = header.parameter(name, parameter, c_type, comment, all_names)
                structs.update(used)
                cells.append(f"{parameter}:{code}")
            forms.append((f"fn {name}", " " + " ".join(cells)))
        functions[name] = forms
    layouts = {name: [header.struct_line(name) if name in header.bodies else None for header in headers] for name in sorted(structs)}

    # A generation begins where something that exists in both versions differs.
    forms = list(functions.values()) + list(layouts.values())
    begins = [0] + [number for number in range(1, len(headers))
                    if any(form[number - 1] and form[number] and form[number - 1] != form[number] for form in forms)]
    last = lambda number: ([*begins, len(headers)][number + 1]) - 1

    def by_generation(form):
        """The form in each generation; a function that only some versions of it have is the same in those."""
        return [next((form[version] for version in range(begins[number], last(number) + 1) if form[version]), None)
                for number in range(len(begins))]

    interface, header = INTERFACES[x]
    print(HEAD.format(interface=interface, header=header, versions=", ".join(versions)))
    for number, begin in enumerate(begins):
        earlier = {name for header in headers[:begin] for name in header.functions}
        new = [name for name in names if name not in earlier and all(name in header.functions for header in headers[begin:])]
        print(f"generation {versions[begin]}" + (f" {new[0]}" if number else ""))
    print()
    out = [line for name in names for line in lines_of("fn", name, by_generation(functions[name]))]
    out.append("")
    for name in sorted(structs):
        out += lines_of("struct", name, by_generation(layouts[name]))
    out.append("")
    text = "\n".join(out)
    wanted = set(re.findall(rf"(?<=[:>\[])[ef]({x}_\w+)", text)) | {f"{x}_result_t"}
    while True:
        enums = []
        for name in sorted(wanted):
            enum = name[:-3] + "_t" if name.endswith("_flags_t") else name
            values = {}
            for header in reversed(headers):
                for value, enumerator, found in header.values.get(enum, []):
                    if value not in values:
                        values[value] = (enumerator, property_code(header, found))
            if not values:
                continue
            prefix = common_prefix([enumerator for enumerator, _ in values.values()])
            cells = [f"{value:x}={enumerator[len(prefix):]}" + (f":{code}" if code and not name.endswith("_flags_t") else "")
                     for value, (enumerator, code) in sorted(values.items())]
            enums.append(f"{'flags' if name.endswith('_flags_t') else 'enum'} {name} {prefix} {' '.join(cells)}")
        more = set(re.findall(rf"(?<=[:\[])[ef]({x}_\w+)", "\n".join(enums))) - wanted
        if not more:
            break
        wanted |= more
    print(text)
    print("\n".join(enums))


def common_prefix(names):
    shortest = min(names)
    longest = max(names)
    length = next((at for at, pair in enumerate(zip(shortest, longest)) if pair[0] != pair[1]), len(shortest))
    return shortest[:shortest.rfind("_", 0, length) + 1]


main(sys.argv[1:])
