import { describe, expect, it } from 'vitest';

import { ACTION_STATUS, isEnd } from '../../../src/agentic/action/kind/status.ts';
import { DefaultFlag } from '../../../src/agentic/provider/default-flag.ts';
import {
  AlarmLevel,
  AlarmSource,
  AlarmTarget,
  AlarmType,
  ConfirmFlag,
} from '../../../src/alarm/kind/alarm.ts';
import {
  ChannelType,
  DeliveryStatus,
  transitions as deliveries,
} from '../../../src/alarm/kind/delivery-status.ts';
import { RuleStatus, transitions as ruleStates } from '../../../src/alarm/kind/rule-status.ts';
import { topicNames } from '../../../src/bus/topic/topic-names.ts';
import { Quality } from '../../../src/bus/topic/topics.ts';
import {
  CommandSource,
  CommandStatus,
  CommandType,
  transitions as commands,
  Verification,
} from '../../../src/data/command/state.ts';
import { AcknowledgeFlag } from '../../../src/data/ingest/event-history.ts';
import { EnableFlag } from '../../../src/kernel/input/flag.ts';
import { EntityState } from '../../../src/manager/device/state.ts';
import { EntityType } from '../../../src/manager/entity/entity-type.ts';
import { RwFlag } from '../../../src/manager/entity/value-type.ts';
import { EventLevel, EventType } from '../../../src/manager/entity/value-type.ts';
import { chapters, rowsOf } from './chapters.ts';

type Flags = Readonly<Record<string, number>>;

const section = (file: string, title: string) => {
  const found = chapters
    .find((chapter) => chapter.file === file)
    ?.sections.find((own) => own.title === title);
  if (!found) throw new Error(`${file} has no section ${title}`);
  return found;
};

/** `0 `NAME`` as the chapters write a number and its name. */
const flagsIn = (text: string): Flags =>
  Object.fromEntries(
    [...text.matchAll(/(\d+) `([A-Za-z0-9_]+)`/g)].map(([, number, name = '']) => [
      name,
      Number(number),
    ]),
  );

/** The row of a table that begins with this field. */
const rowOf = (file: string, title: string, field: string): string =>
  rowsOf(section(file, title))
    .filter(([first = '']) => first.includes(`\`${field}\``))
    .join();

describe('the numbers of', () => {
  it.each<[field: string, Flags]>([
    ['alarm_source_flag', AlarmSource],
    ['alarm_type_flag', AlarmType],
    ['alarm_target_type_flag', AlarmTarget],
    ['alarm_level_flag', AlarmLevel],
    ['confirm_flag', ConfirmFlag],
    ['entity_state_flag', RuleStatus],
    ['channel_type_flag', ChannelType],
    ['status_flag', DeliveryStatus],
    ['event_type_flag', EventType],
    ['event_level_flag', EventLevel],
    ['acknowledge_flag', AcknowledgeFlag],
  ])('%s are those of the code', (field, flags) => {
    expect(flagsIn(rowOf('alarms.md', 'Enumerations', field))).toEqual(flags);
  });

  it.each<[field: string, Flags]>([
    ['rwFlag', RwFlag],
    ['eventTypeFlag', EventType],
    ['eventLevelFlag', EventLevel],
    ['entityTypeFlag', EntityType],
    ['entityStateFlag', EntityState],
  ])('%s are those of the code', (field, flags) => {
    const title = 'Enumerations of the manager center';
    expect(flagsIn(rowOf('objects.md', title, field))).toEqual(flags);
  });

  it.each<[file: string, title: string, Flags]>([
    ['commands.md', 'States of a command', CommandStatus],
    ['actions.md', 'States of an action', ACTION_STATUS],
    ['notifications.md', 'Delivery states', DeliveryStatus],
  ])('%s, %s are those of the code', (file, title, flags) => {
    const rows = rowsOf(section(file, title));
    expect(
      Object.fromEntries(
        rows.map(([number, name = '']) => [name.replaceAll('`', ''), Number(number)]),
      ),
    ).toEqual(flags);
  });

  it.each<[file: string, title: string, readonly Flags[]]>([
    ['commands.md', 'States of a command', [Verification, CommandType, CommandSource]],
    ['values.md', 'Age and quality', [Quality]],
    ['objects.md', 'Common fields', [EnableFlag]],
    ['assistant.md', 'Models', [DefaultFlag, { OPENAI_COMPATIBLE: 0, ANTHROPIC: 1 }]],
  ])('%s, %s are those of the code', (file, title, all) => {
    expect(flagsIn(section(file, title).text)).toEqual(Object.assign({}, ...all));
  });

  it('the bus has the exchanges listed', () => {
    const listed = rowsOf(section('bus.md', 'Exchanges')).map(([name]) => name);
    expect(listed).toEqual(topicNames().map((name) => `\`${name}\``));
  });
});

/** The names in code of a cell; what evidence does is no transition of the table in the code. */
const namesIn = (cell: string): string[] =>
  cell.includes('evidence') ? [] : [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name);

const pairsOf = (transitions: Readonly<Record<string, Readonly<Record<string, string>>>>) =>
  Object.entries(transitions).flatMap(([from, to]) =>
    [...new Set(Object.values(to))].map((next) => `${from} → ${next}`),
  );

describe('the transitions of', () => {
  it.each([
    ['commands.md', 'States of a command', commands],
    ['notifications.md', 'Delivery states', deliveries],
  ])('%s, %s are those of the code', (file, title, transitions) => {
    const said = rowsOf(section(file, title)).flatMap((row) =>
      namesIn(row.at(-1) ?? '').map((next) => `${namesIn(row[1] ?? '').join()} → ${next}`),
    );
    expect(new Set(said)).toEqual(new Set(pairsOf(transitions)));
  });

  it('alarms.md, States of a rule are those of the code', () => {
    const said = rowsOf(section('alarms.md', 'States of a rule'))
      .filter(([from]) => from !== 'none')
      .map(([from = '', , to = '']) => `${namesIn(from).join()} → ${namesIn(to).join()}`);
    expect(new Set(said)).toEqual(new Set(pairsOf(ruleStates)));
  });

  it('actions.md, States of an action end where those of the code end', () => {
    const ends = rowsOf(section('actions.md', 'States of an action'))
      .filter(([, , , next = '']) => next === '' || next.includes('evidence'))
      .flatMap(([, name = '']) => namesIn(name));
    const known = keysOf(ACTION_STATUS).filter(isEnd);
    expect(new Set(ends)).toEqual(new Set(known));
  });
});

const keysOf = <K extends string>(record: Readonly<Record<K, unknown>>): K[] => {
  const keys: K[] = [];
  for (const key in record) keys.push(key);
  return keys;
};
