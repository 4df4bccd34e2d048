/** The most common passwords of at least eight characters, in lower case; shorter ones are refused anyway. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `12345678 123456789 1234567890 12345678910 0123456789 9876543210 987654321 87654321 123123123
  11111111 00000000 88888888 99999999 12341234 11223344 112233445566 121212121 1q2w3e4r 1q2w3e4r5t
  1qaz2wsx 1qaz2wsx3edc qazwsxedc qwertyui qwertyuiop qwerty123 qwerty12 qwerty1234 qwer1234
  asdfghjk asdfghjkl asdf1234 zxcvbnm1 zaq12wsx password password1 password12 password123
  password1234 passw0rd p@ssw0rd p@ssword pa55word passwort passwort1 motdepasse contraseña
  administrator admin123 admin1234 admin12345 admin123456 adminadmin administrador root1234
  rootroot toor1234 changeme changeme1 changeme123 change_me default1 letmein1 letmein123 welcome1
  welcome123 welcome1234 iloveyou iloveyou1 sunshine princess football baseball basketball superman
  batman123 starwars michelle jennifer computer internet whatever trustno1 dragon123 monkey123
  shadow123 master123 abc12345 abcd1234 abc123456 a1b2c3d4 aa123456 aa12345678 test1234 test12345
  testtest testing123 guest1234 user1234 demo1234 secret123 secretsecret mustang1 access14 corvette
  maverick samantha victoria liverpool chelsea1 arsenal1 charlie1 hello123 hellohello freedom1
  security security1 system123 manager1 operator operator1 supervisor raspberry dc3dc3dc3
  google123 facebook linkedin q1w2e3r4 q1w2e3r4t5 !qaz2wsx 1234qwer 1234abcd 123qweasd 147258369
  159753456 741852963 789456123 789456123a 123456789a 123456a1 123456abc woaini1314 5201314520`
    .split(/\s+/)
    .filter(Boolean),
);
