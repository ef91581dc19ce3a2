/** What a resource says of itself at `schema/`, for programs that find their way by it. */
import { defaultLimit } from './list.ts';
import type { Json, Resource } from './resource.ts';

export function schemaOf({ fields, list, find, actions, actionsOnOne }: Resource): Json {
  const methods = (of: object) => ['get', ...Object.keys(of).map((method) => method.toLowerCase())];
  return {
    allowed_detail_http_methods: find === null ? [] : methods(actionsOnOne),
    allowed_list_http_methods: methods(actions),
    default_format: 'application/json',
    default_limit: defaultLimit,
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, { type, isNullable, isReadOnly, help, values }]) => [
        name,
        {
          type,
          nullable: isNullable === true,
          readonly: isReadOnly === true,
          help_text: help,
          ...(values !== undefined && { valid_choices: values }),
        },
      ]),
    ),
    filtering: Object.fromEntries(list.filters.map((name) => [name, ['exact', 'contains']])),
  };
}
