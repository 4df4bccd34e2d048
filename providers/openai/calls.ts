import { z } from 'zod';

/** Of one call, as JSON; longer ones are left out, as a part of it is of no use. */
const MAX_EXTRA = 32_768;

export const ToolCallPart = z.object({
  index: z.number().int().min(0).max(127).nullish().catch(null),
  id: z.string().nullish().catch(null),
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

type Slot = { position: number; ids: Map<string, number>; name: string; text: string };

/**
 * Finds the call that a part belongs to. Some vendors give every call the index 0, or none, and some no id: another name
 * begins another call, and so does a name with a new id or after arguments that are whole. A fragment with a new id but
 * no name continues the last call.
 */
export function newCalls() {
  const last = new Map<number, Slot>();
  let count = 0;
  const begin = (slot: Slot): void => {
    slot.position = count++;
    slot.name = '';
    slot.text = '';
  };
  return {
    positionOf({ index, id, function: given }: z.infer<typeof ToolCallPart>, at: number): number {
      const slot = last.get(index ?? at) ?? {
        position: count++,
        ids: new Map<string, number>(),
        name: '',
        text: '',
      };
      last.set(index ?? at, slot);
      const name = given?.name ?? '';
      const text = given?.arguments ?? '';
      if (id && slot.ids.has(id)) slot.position = slot.ids.get(id) ?? slot.position;
      else if (name !== '' && isOther(slot, { id, name, text })) begin(slot);
      if (id) slot.ids.set(id, slot.position);
      slot.name ||= name;
      slot.text += text;
      return slot.position;
    },
  };
}

/** Whether a part with a name begins another call than the last one of its index. */
function isOther(
  { ids, name, text }: Slot,
  part: { id: string | null | undefined; name: string; text: string },
): boolean {
  if (part.id) return ids.size > 0;
  if (name === '') return false;
  return part.name !== name || (part.text !== '' && isWhole(text));
}

function isWhole(text: string): boolean {
  try {
    return text !== '' && typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
