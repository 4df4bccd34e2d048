import type { ChancePlant } from './chance-plant.ts';
import type { Task } from './chance-tasks.ts';
import { openLedger, wrongOf } from './ledger.ts';

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/g;

/** Runs tasks in turn: of each its calls, tokens, facts and what was wrong; and the times that were not in the zone of the plant. */
export async function chanceTour(plant: ChancePlant, tasks: readonly Task[]) {
  const ledger = await openLedger(plant.agent);
  const done: { name: string; calls: number; tokens: number; facts: number; wrong: string[] }[] =
    [];
  for (const { name, run } of tasks) {
    const { result, calls, tokens } = await ledger.task((ask) => run(ask, plant));
    const wrong = wrongOf(result).map((fact) => JSON.stringify([name, ...fact]));
    done.push({ name, calls, tokens, facts: result.length, wrong });
  }
  const sum = (of: 'calls' | 'tokens' | 'facts'): number =>
    done.reduce((total, task) => total + task[of], 0);
  const times = ledger.texts.flatMap((text) => text.match(TIME) ?? []);
  return {
    done,
    calls: sum('calls'),
    tokens: sum('tokens'),
    facts: sum('facts'),
    wrong: done.flatMap(({ wrong }) => wrong),
    times: times.length,
    foreign: times.filter((time) => !isLocal(time, plant.chance.zone)),
  };
}

function isLocal(time: string, zone: string): boolean {
  const { offset } = Temporal.Instant.from(time).toZonedDateTimeISO(zone);
  return time.endsWith(offset);
}
