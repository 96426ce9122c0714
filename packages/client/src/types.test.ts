import assert from 'node:assert/strict'
import { test } from 'node:test'
import type * as protocol from '@sandglass/protocol'
import type { Bytes, EventFrom, EventStream, Input, Output, Sandglass } from './index.ts'
import { routes } from './routes.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <_ extends true>() => {}

test('every operation is a method with the types of its schemas', () => {
  same<Same<Input<'getSandbox'>['sandboxId'], string>>()
  same<Same<Input<'getSandbox'>['orgId'], string | undefined>>()
  same<Same<Output<'createSandbox'>, Promise<protocol.Sandbox>>>()
  same<Same<Output<'deleteSandbox'>, Promise<undefined>>>()
  same<Same<Output<'readSandboxFile'>, Promise<Bytes>>>()
  same<Same<EventFrom<'listEvents'>, protocol.LoggedEvent>>()
  same<Output<'streamSandboxShell'> extends EventStream<infer _> ? true : false>()
  same<Output<'listEvents'> extends Promise<{ nextCursor: string | null }> ? true : false>()
  const calls = (client: Sandglass) => {
    void client.listSandboxes()
    void client.createSandbox({ body: { shapeName: 'small' } })
    // @ts-expect-error: which sandbox?
    void client.getSandbox()
    // @ts-expect-error: this is no field of the body.
    void client.extendSandbox({ sandboxId: '', body: { seconds: 1 } })
  }
  assert.equal(typeof calls, 'function')
  assert.equal(routes.createSandbox.creates, true)
})
