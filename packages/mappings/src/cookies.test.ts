import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cookieOf, cookiesNamed, hostOnly, withoutToken } from './cookies.ts'

test('the cookie is limited to its host, and with TLS its name enforces that', () => {
  assert.equal(cookieOf('t', false), 'sandglass-mapping=t; Path=/; HttpOnly; SameSite=Lax')
  assert.equal(cookieOf('t', true), '__Host-sandglass-mapping=t; Path=/; HttpOnly; SameSite=Lax; Secure')
})

test('every token is found, and none is passed to the guest', () => {
  const header = 'a=1; sandglass-mapping=wrong; __Host-sandglass-mapping=right; my-sandglass-mapping=theirs'
  assert.deepEqual(cookiesNamed(header), ['wrong', 'right'])
  assert.equal(withoutToken(header), 'a=1; my-sandglass-mapping=theirs')
  assert.equal(withoutToken('sandglass-mapping=x'), undefined)
  assert.equal(withoutToken('a=1;b=2'), 'a=1;b=2')
  assert.deepEqual(cookiesNamed(undefined), [])
  const session =
    'sandglass-session=s; __Host-sandglass-session=s; sandglass-sign-in=s; __Host-sandglass-sign-in=s'
  assert.equal(withoutToken(session), undefined)
  assert.equal(withoutToken(`a=1; ${session}; sandglass-theme=dark`), 'a=1; sandglass-theme=dark')
  assert.deepEqual(cookiesNamed(session), [])
})

test('cookies of a guest lose their domain and cannot pose as the token', () => {
  const set = [
    'a=1; Domain=example.org; Path=/',
    'b=2;domain=.example.org',
    'c=domain; Secure',
    'sandglass-mapping=x',
    'sandglass-session=x; Path=/',
    '__Host-sandglass-session=x; Path=/; Secure',
  ]
  assert.deepEqual(hostOnly([...set, '__Host-sandglass-mapping=x; Secure']), [
    'a=1; Path=/',
    'b=2',
    'c=domain; Secure',
  ])
})
