/** The descriptions (OpenAPI 3.1.0) of all faces as one, for programs that are made of a description. */
import { z } from 'zod';

type Json = Readonly<Record<string, unknown>>;

const named = z.record(z.string(), z.unknown());

const faceShape = z.object({
  security: z.unknown().optional(),
  tags: z.array(z.looseObject({ name: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), named)),
  components: z.record(z.string(), named),
});

/**
 * Every operation says for itself what it must bring, since what a description says for all of its own is another in each.
 * @throws Error where two faces name two things alike; what is the same in both stands there once.
 */
export function joinDescriptions(faces: readonly Json[], info: Json): Json {
  const tags = new Map<string, Json>();
  const paths = new Map<string, Json>();
  const components = new Map<string, Json>();
  for (const face of faces.map((one) => faceShape.parse(one))) {
    for (const tag of face.tags) tags.set(tag.name, tag);
    for (const [path, operations] of Object.entries(face.paths)) {
      const secured = Object.entries(operations).map(([method, operation]) => [
        method,
        face.security === undefined ? operation : { security: face.security, ...operation },
      ]);
      join(paths, path, Object.fromEntries(secured));
    }
    for (const [kind, members] of Object.entries(face.components)) join(components, kind, members);
  }
  return {
    openapi: '3.1.0',
    info,
    tags: [...tags.values()],
    paths: Object.fromEntries(paths),
    components: Object.fromEntries(components),
  };
}

function join(all: Map<string, Json>, place: string, added: Json): void {
  const known = all.get(place) ?? {};
  for (const [name, value] of Object.entries(added)) {
    if (name in known && JSON.stringify(known[name]) !== JSON.stringify(value)) {
      throw new Error(`two descriptions have another ${name} in ${place}`);
    }
  }
  all.set(place, { ...known, ...added });
}
