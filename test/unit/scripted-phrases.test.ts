import { expect, it } from 'vitest';

import { understood } from '../../providers/scripted/scripted.ts';

const ID = '6f9c54b0-6f8f-4c7c-9c55-0d9e37e4a001';
type Row = [said: string, request: string, found?: Record<string, string>];

const temperature = { device: 'dev-1', point: 'temperature' };
const temperatur = { device: 'dev-1', point: 'Temperatur' };
const 温度 = { device: 'dev-1', point: '温度' };
const setPoint = { device: 'dev-1', point: 'set-point', value: '21' };
const sollwert = { device: 'dev-1', point: 'Sollwert', value: '21' };
const 设定值 = { device: 'dev-1', point: '设定值', value: '21' };

const rows: Row[] = [
  ['what is the temperature of dev-1', 'latest', temperature],
  ["what's the current temperature at dev-1 right now", 'latest', temperature],
  ['Could you please tell me the temperature of dev-1', 'latest', temperature],
  ["show me dev-1's temperature", 'latest', temperature],
  ['dev-1 temperature', 'latest', temperature],
  ['temperature of dev-1, please', 'latest', temperature],
  ['how warm is dev-1', 'latest', temperature],
  ['how high is the temperature in dev-1', 'latest', temperature],
  ['what temperature does dev-1 have', 'latest', temperature],
  ['set dev-1 set-point to 21', 'propose', setPoint],
  ["can you turn dev-1's set-point up to 21", 'propose', setPoint],
  ['raise the set-point of dev-1 to 21, please', 'propose', setPoint],
  ["I'd like to lower the set-point on dev-1 to 21", 'propose', setPoint],
  ["dev-1's set-point should be 21", 'propose', setPoint],
  ['read the temperature of dev-1 from the device', 'read', temperature],
  ["would you read dev-1's temperature", 'read', temperature],
  ['show the history of the temperature of dev-1', 'history', temperature],
  ["dev-1's temperature history", 'history', temperature],
  ['how has the temperature of dev-1 changed today', 'history', temperature],
  ['which devices are there', 'devices'],
  ['hello, can you list all devices', 'devices'],
  ['what points does dev-1 have', 'points', { device: 'dev-1' }],
  ['what does dev-1 measure', 'points', { device: 'dev-1' }],
  [`status of action ${ID}`, 'action', { id: ID }],
  ['did it work', 'action'],
  ['has the change been confirmed', 'action'],
  ['are there any alerts', 'alarms'],
  ['are there any alarms?', 'alarms'],
  ['what alarms are open?', 'alarms'],
  ['which devices have alarms', 'alarms'],
  ['are there alarms on all devices', 'alarms'],
  ['show me the alarms of dev-1', 'alarms', { device: 'dev-1' }],
  ['is there an alarm on dev-1', 'alarms', { device: 'dev-1' }],
  ['what alarms are open at dev-1', 'alarms', { device: 'dev-1' }],
  ['does dev-1 have any alarms', 'alarms', { device: 'dev-1' }],
  ["show me dev-1's alarms", 'alarms', { device: 'dev-1' }],
  ['dev-1 alarms', 'alarms', { device: 'dev-1' }],
  ['is everything fine', 'health'],
  ['who am i', 'whoAmI'],
  ['what did I attach: show the attachment', 'attached'],
  ['was ist die Temperatur von dev-1', 'latest', temperatur],
  ['Wie hoch ist die aktuelle Temperatur an dev-1', 'latest', temperatur],
  ['zeig mir die Temperatur von dev-1', 'latest', temperatur],
  ['wie warm ist es in dev-1', 'latest', temperature],
  ['Welche Temperatur hat dev-1', 'latest', temperatur],
  ['könnten Sie mir bitte die Temperatur von dev-1 nennen', 'latest', temperatur],
  ['setze den Sollwert von dev-1 auf 21', 'propose', sollwert],
  ['Bitte stelle den Sollwert an dev-1 auf 21 ein', 'propose', sollwert],
  ['erhöhe bitte den Sollwert von dev-1 auf 21', 'propose', sollwert],
  ['der Sollwert von dev-1 soll auf 21 gesetzt werden', 'propose', sollwert],
  ['kannst du bitte den Sollwert von dev-1 auf 21 stellen', 'propose', sollwert],
  ['lies die Temperatur von dev-1 aus', 'read', temperatur],
  ['frage die Temperatur von dev-1 ab', 'read', temperatur],
  ['zeige den Verlauf der Temperatur von dev-1', 'history', temperatur],
  ['Temperaturverlauf von dev-1', 'history', temperatur],
  ['welche Geräte gibt es', 'devices'],
  ['liste alle Geräte auf', 'devices'],
  ['welche Messpunkte hat dev-1', 'points', { device: 'dev-1' }],
  ['was misst dev-1', 'points', { device: 'dev-1' }],
  ['hat es geklappt', 'action'],
  ['wurde das ausgeführt', 'action'],
  ['gibt es Alarme', 'alarms'],
  ['Gibt es Alarme?', 'alarms'],
  ['Welche Alarme sind offen?', 'alarms'],
  ['gibt es Alarme an dev-1', 'alarms', { device: 'dev-1' }],
  ['zeig mir die Alarme von dev-1', 'alarms', { device: 'dev-1' }],
  ['hat dev-1 offene Alarme', 'alarms', { device: 'dev-1' }],
  ['läuft alles', 'health'],
  ['wer bin ich', 'whoAmI'],
  ['dev-1 的温度是多少', 'latest', 温度],
  ['请查看dev-1的温度', 'latest', 温度],
  ['dev-1的当前温度', 'latest', 温度],
  ['帮我看看 dev-1 的温度怎么样', 'latest', 温度],
  ['dev-1 现在多少度', 'latest', temperature],
  ['把 dev-1 的设定值设为 21', 'propose', 设定值],
  ['请将dev-1的设定值调到21', 'propose', 设定值],
  ['设置 dev-1 的设定值为 21', 'propose', 设定值],
  ['读取 dev-1 的温度', 'read', 温度],
  ['查看dev-1的温度历史', 'history', 温度],
  ['dev-1 的温度的历史曲线', 'history', 温度],
  ['有哪些设备', 'devices'],
  ['列出所有设备', 'devices'],
  ['dev-1 有哪些测点', 'points', { device: 'dev-1' }],
  ['成功了吗', 'action'],
  ['现在有报警吗', 'alarms'],
  ['有告警吗?', 'alarms'],
  ['现在有哪些报警?', 'alarms'],
  ['dev-1有哪些告警', 'alarms', { device: 'dev-1' }],
  ['查看 dev-1 的报警', 'alarms', { device: 'dev-1' }],
  ['系统状态正常吗', 'health'],
  ['我是谁', 'whoAmI'],
  ['附件里有什么', 'attached'],
];

it.each(rows)('understands “%s” as a request of %s', (said, request, found = {}) => {
  expect(understood(said)).toMatchObject({ request, found });
});

it('names no device where a question is about the alarms of all', () => {
  for (const said of ['any alarms on all devices', '现在有哪些报警', 'alarms of today'])
    expect(understood(said)).toEqual({ request: 'alarms', found: {} });
});

it.each([
  'tell me a joke',
  'write a poem about the sea',
  '你好',
  'Guten Tag',
  'set the table',
  'confirm all alarms',
  'Alarme quittieren',
  '关闭所有告警',
])('makes nothing of “%s”', (said) => expect(understood(said)).toBeNull());
