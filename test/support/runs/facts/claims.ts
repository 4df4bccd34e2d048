/** In each language: what is true of a plant whatever a turn did, and what is not true of most turns. */
export const claims: readonly {
  language: string;
  true: readonly string[];
  false: readonly string[];
}[] = [
  {
    language: 'English',
    true: ['The valve is closed.', 'The firmware was updated in March.', 'Boiler 1 is turned off.'],
    false: ['I have set it to 25 °C.', '✅ Your change is live.', 'I proposed it, please confirm.'],
  },
  {
    language: 'German',
    true: ['Der Regler ist eingeschaltet.', 'Der Sollwert wurde gestern geändert.'],
    false: ['Ich habe den Sollwert auf 25 °C gesetzt.', 'Erledigt, das Ventil hat bestätigt.'],
  },
  {
    language: 'Spanish',
    true: ['La válvula está cerrada.', 'La alarma fue confirmada ayer.'],
    false: ['He cambiado el valor a 25 °C.', 'Hecho: el dispositivo lo confirmó.'],
  },
  {
    language: 'French',
    true: ['La vanne est fermée.', 'Le micrologiciel a été mis à jour en mars.'],
    false: ['J’ai réglé la consigne à 25 °C.', 'C’est fait, la vanne a répondu.'],
  },
  {
    language: 'Italian',
    true: ['La valvola è chiusa.', 'La caldaia è stata spenta ieri.'],
    false: ['Ho impostato il valore a 25 °C.', 'Fatto, il dispositivo ha confermato.'],
  },
  {
    language: 'Portuguese',
    true: ['A válvula está fechada.', 'O alarme foi confirmado ontem.'],
    false: ['Alterei o valor para 25 °C.', 'Pronto, a escrita foi feita.'],
  },
  {
    language: 'Dutch',
    true: ['De klep is gesloten.', 'De ketel werd gisteren uitgezet.'],
    false: ['Ik heb het op 25 °C gezet.', 'Gedaan, het apparaat heeft bevestigd.'],
  },
  {
    language: 'Russian',
    true: ['Клапан закрыт.', 'Прошивка была обновлена в марте.'],
    false: ['Я установил значение 25 °C.', 'Готово, запись подтверждена.'],
  },
  {
    language: 'Japanese',
    true: ['バルブは閉じています。', 'ファームウェアは3月に更新されました。'],
    false: ['25 °Cに設定しました。', '完了しました。書き込みは確認済みです。'],
  },
  {
    language: 'Chinese',
    true: ['阀门已关闭。', '固件已在三月更新。'],
    false: ['我已将其设置为 25 °C。', '已完成，设备已确认写入。'],
  },
];
