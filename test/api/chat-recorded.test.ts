import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { call, say, type Sent } from '../support/neighbours/model.ts';
import { inTurn, results, startChatWorld } from '../support/people/chat-world.ts';
import { chat } from '../support/people/chat.ts';
import { played, recordedIn } from '../support/runs/eval/recorded.ts';
import { at, saidTo, textAt } from '../support/runs/eval/transcript.ts';
import { prepared } from '../support/world/prepared.ts';
import { onboard } from '../tools/agent.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'recorded-'));
});
const chatWorld = prepared(() => startChatWorld({ AGENTIC_RECORD: directory }));
const site = prepared(() => onboard(chatWorld.world.admin, 'secretplant'));
afterAll(async () => {
  await chatWorld?.stop();
  await rm(directory, { recursive: true, force: true });
});

const KEY = 'sk-live-0123456789abcdef';

it('leaves a turn without names, ids and keys, which plays again in another tenant', async () => {
  const { world, answer } = chatWorld;
  answer((sent) => {
    const [found] = results(sent);
    const deviceId = textAt(found, 'records', 0, 'deviceId');
    const { pointId } = site;
    return (
      [
        call(['searchDevices', { deviceName: 'secretplant device' }]),
        call(['writePointValue', { deviceId, pointId: 'secretplant set-point', value: 21 }]),
        say(`Proposed for secretplant device, point ${pointId}.`),
      ][inTurn(sent) / 2] ?? say('over')
    );
  });
  const question = `Set SECRETPLANT DEVICE to 21, my key is ${KEY}, ask bob@example.com at 10.1.2.3`;
  const { pending } = await chat(world.admin, question);
  expect(pending).toHaveLength(1);

  const [turn] = await recordedIn(directory);
  if (!turn) throw new Error('nothing was recorded');
  const text = JSON.stringify(turn);
  for (const hidden of ['secretplant', KEY, 'bob@', '10.1.2.3', pending[0]?.actionId ?? KEY])
    expect(text.toLowerCase()).not.toContain(hidden);
  expect(text).not.toContain(`"${site.deviceId}"`);
  expect(turn.question).toMatch(
    /^Set name-\d+ to 21, my key is secret-1, ask mail-1 at address-1$/,
  );
  expect(turn.rounds).toHaveLength(3);

  const other = await world.tenant('other');
  await onboard(other, 'otherplant');
  const named = names(turn);
  const transcript = played(turn, named);
  answer((sent: Sent) => {
    const heard = { text: '', results: results(sent) };
    const said = saidTo(transcript, inTurn(sent) / 2, heard);
    return 'say' in said
      ? say(said.say)
      : call(...said.calls.map(([name, input]) => [name, input] as const));
  });
  const again = await chat(other, 'Set otherplant device to 21');
  expect(again.pending).toHaveLength(1);
  expect(again.pending[0]).toMatchObject({ status: 'PENDING' });
});

/** The words that the first calls use are the names of the otherplant. */
function names(turn: Awaited<ReturnType<typeof recordedIn>>[number]): Record<string, string> {
  const [first, second] = turn.rounds;
  const device = textAt(first?.said, 'calls', 0, 1, 'deviceName');
  const point = String(at(second?.said, 'calls', 0, 1, 'pointId'));
  return { [device]: 'otherplant device', [point]: 'otherplant set-point' };
}
