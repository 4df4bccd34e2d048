import { z } from 'zod';

/** Of one call, as JSON; longer ones are left out, as a part of it is of no use. */
const MAX_EXTRA = 32_768;

export const ToolCallPart = z.object({
  index: z
    .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
    .pipe(z.number().int().min(0).max(127))
    .nullish()
    .catch(null),
  id: z
    .union([z.string(), z.number().transform(String)])
    .nullish()
    .catch(null),
  function: z
    .object({
      name: z.string().nullish().catch(null),
      // Some vendors send the object itself instead of its text.
      arguments: z
        .union([z.string(), z.record(z.string(), z.unknown()).transform((o) => JSON.stringify(o))])
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
  extra_content: z
    .record(z.string(), z.unknown())
    .refine((extra) => JSON.stringify(extra).length <= MAX_EXTRA)
    .nullish()
    .catch(null),
});

type Slot = { position: number; ids: Map<string, number> };
type Begun = { name: string; text: string };
/** The place of a call among all, and its name where this part is its first. */
type Place = { position: number; name?: string };

/**
 * Finds the call that a part belongs to. Some vendors give every call the index 0, or none, and some no id, or one for
 * all: another name begins another call, and so does a name with a new id, or a text after arguments that are whole. A
 * fragment with a new id but no name continues the last call.
 */
export function newCalls() {
  const last = new Map<number, Slot>();
  const begun: Begun[] = [];
  const begin = (): number => begun.push({ name: '', text: '' }) - 1;
  return {
    placeOf({ index, id, function: given }: z.infer<typeof ToolCallPart>, at: number): Place {
      const slot = last.get(index ?? at) ?? { position: begin(), ids: new Map<string, number>() };
      last.set(index ?? at, slot);
      const name = given?.name ?? '';
      const text = given?.arguments ?? '';
      const known = id ? slot.ids.get(id) : undefined;
      if (known !== undefined) slot.position = known;
      else if (name !== '' && isOther(slot, begun, id, name)) slot.position = begin();
      const before = begun[slot.position];
      if (before && text.trim() !== '' && isWhole(before.text)) {
        slot.position = begin();
        // Its vendor named it in a part before, or not again.
        return into(name || before.name);
      }
      return into(name);

      function into(named: string): Place {
        const { position } = slot;
        if (id) slot.ids.set(id, position);
        const call = begun[position];
        if (!call) return { position };
        call.name ||= named;
        call.text += text;
        return { position, ...(named === '' ? {} : { name: named }) };
      }
    },
  };
}

/** Whether a part with a name that is not known by its id begins another call than the last one of its index. */
const isOther = (
  { ids, position }: Slot,
  begun: readonly Begun[],
  id: string | null | undefined,
  name: string,
): boolean => {
  const before = begun[position]?.name ?? '';
  return id ? ids.size > 0 : before !== '' && before !== name;
};

function isWhole(text: string): boolean {
  if (!text.trimEnd().endsWith('}')) return false;
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
