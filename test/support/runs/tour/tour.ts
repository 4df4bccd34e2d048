import { factsOf } from './facts.ts';
import { type Ask, openLedger, wrongOf } from './ledger.ts';
import type { Plant } from './plant.ts';
import { type Answers, type People, policies, type Task } from './policy.ts';

type Agent = {
  name: string;
  client: Plant['agent'];
  /** Before and after each task. */
  begin?(task: Task): Promise<void>;
  end?(): Promise<void>;
};

/**
 * Runs the sixteen tasks in turn, with the plant's agent or another one; of each its calls, the o200k tokens of the answers' texts, the facts
 * compared, and those that were wrong.
 */
export async function tour(plant: Plant, agent: Agent = { name: 'tour', client: plant.agent }) {
  await plant.plannedWrite();
  const ledger = await openLedger(agent.client);
  const counted: { name: Task; calls: number; tokens: number }[] = [];
  const { confirm, reject } = plant;
  async function run<T>(name: Task, policy: (ask: Ask, people: People) => Promise<T>): Promise<T> {
    await agent.begin?.(name);
    const { result, ...counts } = await ledger.task((ask) => policy(ask, { confirm, reject }));
    await agent.end?.();
    counted.push({ name, ...counts });
    return result;
  }
  const answers: Answers = {
    exists: await run('exists', policies.exists),
    value: await run('value', policies.value),
    trend: await run('trend', policies.trend),
    compare: await run('compare', policies.compare),
    alarms: await run('alarms', policies.alarms),
    write: await run('write', policies.write),
    outOfRange: await run('outOfRange', policies.outOfRange),
    readOnly: await run('readOnly', policies.readOnly),
    offline: await run('offline', policies.offline),
    twice: await run('twice', policies.twice),
    rejected: await run('rejected', policies.rejected),
    unit: await run('unit', policies.unit),
    silent: await run('silent', policies.silent),
    handover: await run('handover', policies.handover),
    changes: await run('changes', policies.changes),
    hidden: await run('hidden', policies.hidden),
  };
  const expected = factsOf(plant, await plant.tables(), agent.name);
  const factsIn = <T extends Task>(name: T, answer: Answers[T]) => expected[name](answer);
  return counted.map((task) => {
    const facts = factsIn(task.name, answers[task.name]);
    return {
      ...task,
      facts: facts.length,
      wrong: wrongOf(facts).map((fact) => [task.name, ...fact]),
    };
  });
}
