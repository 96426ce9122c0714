import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addressOf, canonicalCidr, uplinkPair } from './addresses.ts'
import { policyRules } from './egress-rules.ts'
import { isHostPattern, matchesHost } from './names/host-patterns.ts'

it('normalizes networks, and rejects anything else', () => {
  assert.equal(canonicalCidr('10.1.2.3/8'), '10.0.0.0/8')
  assert.equal(canonicalCidr('203.0.113.7'), '203.0.113.7/32')
  assert.equal(canonicalCidr('0.0.0.0/0'), '0.0.0.0/0')
  for (const wrong of ['10.0.0.256', '10.0.0.0/33', '10.0.0', '::1', 'host', '10.0.0.0/8; drop', '']) {
    assert.equal(canonicalCidr(wrong), undefined, wrong)
  }
})

it('accepts what an allowlist names, and drops the rest', () => {
  const rules = policyRules(7, [{ cidr: '10.0.0.0/8', ports: [53, 80] }, { cidr: '192.0.2.1' }])
  assert.match(rules, /ip daddr 10\.0\.0\.0\/8 meta l4proto \{ tcp, udp \} th dport \{ 53, 80 \} accept/)
  assert.match(rules, /ip daddr 192\.0\.2\.1\/32 accept\n\s+drop/)
  assert.match(rules, /add element inet sandglass policies \{ "s7" : goto m7 \}/)
})

it('accepts the addresses that were found for a host on its ports, and resolves names for it', () => {
  const rules = policyRules(7, [{ cidr: '192.0.2.1' }, { host: 'example.com', ports: [443] }])
  assert.match(rules, /ip daddr @n7_1 meta l4proto \{ tcp, udp \} th dport \{ 443 \} update @n7_1 .* accept/)
  assert.match(rules, /add element inet sandglass named \{ "s7" \}/)
  for (const egress of ['internet', [{ cidr: '192.0.2.1' }]] as const)
    assert.doesNotMatch(policyRules(7, egress), /named|@n7/)
  assert.doesNotMatch(policyRules(7, [{ cidr: '192.0.2.1' }]), /resolving/)
})

it('takes a host for that name alone, or with an asterisk for the names below it', () => {
  assert.deepEqual(
    ['a.test', 'b.a.test', 'xa.test', '.a.test', 'test'].map(name => matchesHost('a.test', name)),
    [true, false, false, false, false],
  )
  assert.deepEqual(
    ['a.test', 'b.a.test', 'c.b.a.test', 'xa.test', '.a.test'].map(name => matchesHost('*.a.test', name)),
    [false, true, true, false, false],
  )
  for (const wrong of [
    '*',
    'test',
    '*.',
    'a..test',
    'A.test',
    '-a.test',
    'a.test.',
    'a b.test',
    '1.2.3.4',
    'a.test; x',
  ])
    assert.equal(isHostPattern(wrong), false, wrong)
})

it('gives machines and uplinks separate addresses', () => {
  assert.equal(addressOf(0), '198.18.0.1')
  assert.equal(addressOf(1000), '198.18.3.233')
  assert.deepEqual(uplinkPair('00000001', 0), { outer: '198.19.0.5', inner: '198.19.0.6' })
  assert.deepEqual(uplinkPair('ffffffff', 1), { outer: '198.19.0.1', inner: '198.19.0.2' })
})
