import { describe, expect, test } from 'bun:test';
import { addressKind, hostKind } from './addresses.ts';

describe('the kind of an address', () => {
  const closed = [
    '169.254.169.254',
    '169.254.0.23',
    '169.254.1.1',
    '169.254.1.3',
    '169.254.170.2',
    '169.254.172.0',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '224.0.0.1',
    '255.255.255.255',
    'fe80::1',
    'fe80::a9fe:a9fe',
    'fe80::1%eth0',
    'febf:ffff::1',
    'fd00:ec2::254',
    'fd00:ec2:0:0:0:0:0:23',
    'fd00:ec2:81::1',
    'fd00:ec2:80:1::1',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    'ff02::1',
    // Ways to an address of IPv4.
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '::ffff:0:169.254.169.254',
    '::169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '::ffff:100.100.100.200',
    // Nobody knows where these lead.
    '',
    'example.com',
    '2852039166',
    '169.254.169.254.',
  ];
  const closedToStrangers = [
    '0.0.0.0',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '172.16.0.1',
    '172.31.255.255',
    '169.254.1.2',
    '169.254.171.0',
    '169.254.171.255',
    '::ffff:169.254.1.2',
    'fd00:ec2:80::1',
    '192.168.0.1',
    '198.19.0.1',
    '240.0.0.1',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    'fc00::1',
    'fd12:3456:789a::1',
    'fec0::1',
    '2001:db8::1',
    '2001::1',
    '2002:808:808::1',
    '64:ff9b:1::808:808',
    '4000::1',
  ];
  const open = [
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.1',
    '169.253.255.255',
    '169.255.0.1',
    '172.15.255.255',
    '172.32.0.1',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450:4001:80b::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ];
  test.each(closed)('nothing is sent to: %p', (address) => expect(addressKind(address)).toBe('closed'));
  test.each(closedToStrangers)('of a house: %p', (address) => expect(addressKind(address)).toBe('private'));
  test.each(open)('public: %p', (address) => expect(addressKind(address)).toBe('public'));
});

describe('the kind of a host', () => {
  const spelled: readonly (readonly [string, string])[] = [
    ['http://169.254.169.254/', 'closed'],
    ['http://2852039166/', 'closed'],
    ['http://0xa9fea9fe/', 'closed'],
    ['http://0xA9.0xFE.0xA9.0xFE/', 'closed'],
    ['http://0251.0376.0251.0376/', 'closed'],
    ['http://169.254.43518/', 'closed'],
    ['http://169.16689662/', 'closed'],
    ['http://169.254.169.254./', 'closed'],
    ['http://user:secret@169.254.169.254/', 'closed'],
    ['http://api.example.com@169.254.169.254/', 'closed'],
    ['http://１６９.２５４.１６９.２５４/', 'closed'],
    ['http://169。254。169。254/', 'closed'],
    ['http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/', 'closed'],
    ['http://[::ffff:169.254.169.254]/', 'closed'],
    ['http://[::FFFF:A9FE:A9FE]/', 'closed'],
    ['http://[0:0:0:0:0:ffff:169.254.169.254]/', 'closed'],
    ['http://[fd00:ec2::254]/', 'closed'],
    ['http://metadata.google.internal/', 'closed'],
    ['http://METADATA.google.internal./', 'closed'],
    ['http://127.1/', 'private'],
    ['http://0/', 'private'],
    ['http://0x7f000001/', 'private'],
    ['http://localhost/', 'private'],
    ['http://a.localhost./', 'private'],
    ['http://[::1]/', 'private'],
  ];
  test.each(spelled)('%s is %s', (url, kind) => {
    expect(hostKind(new URL(url).hostname)).toBe(kind as ReturnType<typeof hostKind>);
  });

  test('of a name is for whoever resolves it', () => {
    expect(hostKind('api.example.com')).toBeNull();
    expect(hostKind('169.254.169.254.nip.io')).toBeNull();
  });
});
