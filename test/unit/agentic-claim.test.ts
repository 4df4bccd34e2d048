import { describe, expect, it } from 'vitest';

import { claimsDone, wordsOf } from '../../src/agentic/chat/answer/claim.ts';

describe('an answer that says that something was done', () => {
  it.each([
    'Done.',
    'All done!',
    'Done: the setpoint is 21 °C.',
    'OK, done.',
    "I've set the setpoint to 21 °C.",
    'I have just changed the target to 42.',
    'I set boiler 2 to 60 °C.',
    'I wrote 21 to the point.',
    'The setpoint was set to 21 °C.',
    'The valve has been closed.',
    'The pump is now switched off.',
    'The value was successfully written.',
    'Updated successfully.',
    'Set to 21 °C.',
    'Both pumps have been started. Anything else?',
    'The current value is 20 °C. I changed it to 25 °C.',
    'It is done.',
    'Your change was executed.',
    'Erledigt.',
    'Ist erledigt!',
    'Ich habe den Sollwert auf 21 °C gesetzt.',
    'Der Sollwert wurde auf 21 °C geändert.',
    'Das Ventil ist jetzt geschlossen.',
    'Die Pumpe wurde erfolgreich ausgeschaltet.',
    'Auf 21 °C eingestellt.',
    '已设置为 21 °C。',
    '已将设定值改为21度。',
    '温度已经调到 21 度了。',
    '设置成功！',
    '好的，完成了。',
    '阀门已关闭。',
    '已經為您將目標設定為 42。',
    '写入完成。',
  ])('%s', (text) => expect(claimsDone(text)).toBe(true));
});

describe('an answer that says nothing of the kind', () => {
  it.each([
    '',
    'Boiler 2 is at 41 °C.',
    'I proposed to set the setpoint to 21 °C.',
    'The setpoint has not been set yet.',
    'Nothing was written.',
    'It will be set once a human confirms it.',
    'Shall I set it to 21 °C?',
    'Was the valve closed?',
    'The change is pending: it waits for a human.',
    "It wasn't changed.",
    'The write was rejected, so the valve was not closed.',
    'I can set it to 21 °C.',
    'If you confirm it, the pump is switched off.',
    'The outcome of the write is unknown.',
    'The values of today are in the table.',
    'The setting of the valve is 30 %.',
    'Ich habe vorgeschlagen, den Sollwert auf 21 °C zu setzen.',
    'Der Sollwert wurde nicht geändert.',
    'Sobald jemand bestätigt, wird der Sollwert gesetzt.',
    'Soll ich das Ventil schließen?',
    'Wurde die Pumpe ausgeschaltet?',
    'Der Kessel hat 41 °C.',
    '锅炉2现在是41度。',
    '已提议将设定值改为21度，等待确认。',
    '设定值尚未修改。',
    '确认后将设置为21度。',
    '要设置为21度吗？',
    '没有写入任何值。',
  ])('%s', (text) => expect(claimsDone(text)).toBe(false));
});

describe('an answer in JSON', () => {
  it.each([
    ['{"say":"The valve was closed."}', true],
    ['{"steps":[{"text":"I set it to 21."}]}', true],
    ['{"done":true}', true],
    ['{"status":"completed"}', true],
    ['"Done."', true],
    ['{"done":false}', false],
    ['{"say":"The valve was closed."', true],
    ['{"valveClosed":true,"temperature":41}', false],
    ['{"question":"Was it set?","done":null}', false],
    ['[]', false],
    ['['.repeat(50) + '"Done."' + ']'.repeat(50), false],
  ])('%s claims a write: %s', (text, claims) => expect(claimsDone(wordsOf(text))).toBe(claims));
});
