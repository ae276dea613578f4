"""The JSON Schema of a bank's YAML files, made from the models that read them.

An editor reads YAML with its types: ``title: 12`` is a number to it, ``"2"`` a text. Reading here
keeps every scalar a text until a field's type says otherwise, so both are right for both.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema

from closedbook.model.blueprint import BlueprintInfo
from closedbook.model.kinds import AnyKind
from closedbook.model.unit import BankInfo, UnitInfo

Subject = Literal["cards", "unit", "bank", "exam"]
SUBJECTS: tuple[Subject, ...] = ("cards", "unit", "bank", "exam")

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


class _AsEditorsSee(GenerateJsonSchema):
    """Scalars as an editor may find them: whatever is read as the type that the field wants."""

    def str_schema(self, schema: core_schema.StringSchema) -> JsonSchemaValue:
        return {**super().str_schema(schema), "type": ["string", "number", "boolean"]}

    def int_schema(self, schema: core_schema.IntSchema) -> JsonSchemaValue:
        written = {"type": ["integer", "string"], "pattern": r"^\s*[+-]?[0-9]+\s*$"}
        return {**super().int_schema(schema), **written}

    def float_schema(self, schema: core_schema.FloatSchema) -> JsonSchemaValue:
        written = {
            "type": ["number", "string"],
            "pattern": r"^\s*[+-]?[0-9.]+([eE][+-]?[0-9]+)?\s*$",
        }
        return {**super().float_schema(schema), **written}

    def bool_schema(self, schema: core_schema.BoolSchema) -> JsonSchemaValue:
        return {"enum": [True, False, "true", "false"]}

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        # A name that does not fit its pattern is wrong, and not merely unknown.
        made = super().dict_schema(schema)
        for pattern, values in made.pop("patternProperties", {}).items():
            made |= {"propertyNames": {"pattern": pattern}, "additionalProperties": values}
        return made

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        # A field that may be left out is not one that may be given without a value.
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        # Defaults are those of the model (a tuple, None): they are not YAML to be copied.
        return self.generate_inner(schema["schema"])

    def generate(self, schema: core_schema.CoreSchema, mode: JsonSchemaMode = "validation") -> Any:
        return {"$schema": _DIALECT, **super().generate(schema, mode)}


def schema_of(subject: Subject = "cards") -> dict[str, Any]:
    """The JSON Schema (2020-12) of one sort of file."""
    schema = TypeAdapter(_type_of(subject)).json_schema(schema_generator=_AsEditorsSee)
    titles = {
        "cards": "A file of cards",
        "unit": "unit.yaml",
        "bank": "bank.yaml",
        "exam": "An exam's blueprint",
    }
    return {**schema, "title": titles[subject]}


def _type_of(subject: Subject) -> Any:
    types = {"cards": list[AnyKind], "unit": UnitInfo, "bank": BankInfo, "exam": BlueprintInfo}
    return types[subject]
