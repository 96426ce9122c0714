import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as protocol from '@sandglass/protocol'
import { z } from 'zod'
import {
  type Bytes,
  type EventFrom,
  type EventStream,
  type Input,
  type MethodsOf,
  type OperationsIn,
  type Output,
  Sandglass,
} from './index.ts'
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
    // @ts-expect-error: it takes no body.
    void client.getSandbox({ sandboxId: '', body: {} })
    // @ts-expect-error: which sandbox?
    void client.getSandbox()
    // @ts-expect-error: this is no field of the body.
    void client.extendSandbox({ sandboxId: '', body: { seconds: 1 } })
  }
  assert.equal(typeof calls, 'function')
  assert.equal(routes.createSandbox.creates, true)
})

/** A protocol with operations that nobody has thought of, among other things. */
const tomorrow = {
  limit: 5,
  Planet: z.object({ name: z.string() }),
  visitPlanet: protocol.operation({
    id: 'visitPlanet',
    tag: 'Planets',
    summary: 'Visit a planet.',
    method: 'POST',
    path: '/api/orgs/{orgId}/planets/{planetId}/visit',
    access: { to: 'anyone' },
    query: z.object({ days: z.number().optional() }),
    body: z.object({ crew: z.array(z.string()) }),
    response: z.object({ isBack: z.boolean() }),
  }),
  watchPlanets: protocol.operation({
    id: 'watchPlanets',
    tag: 'Planets',
    summary: 'Watch the planets.',
    method: 'GET',
    path: '/api/planets',
    access: { to: 'anyone' },
    answers: { events: z.object({ planetId: z.string() }) },
  }),
}

test('an operation that is new in the protocol is a method, without further code', () => {
  type Tomorrow = MethodsOf<OperationsIn<typeof tomorrow>>
  same<Same<keyof Tomorrow, 'visitPlanet' | 'watchPlanets'>>()
  same<Same<ReturnType<Tomorrow['visitPlanet']>, Promise<{ isBack: boolean }>>>()
  same<Same<Parameters<Tomorrow['visitPlanet']>[0]['body'], { crew: string[] }>>()
  same<Same<Parameters<Tomorrow['visitPlanet']>[0]['days'], number | undefined>>()
  same<Same<ReturnType<Tomorrow['watchPlanets']>, EventStream<{ planetId: string }>>>()
  const calls = (client: Tomorrow) => {
    void client.watchPlanets()
    void client.visitPlanet({ planetId: 'mars', body: { crew: ['Ada'] } })
    // @ts-expect-error: who travels?
    void client.visitPlanet({ planetId: 'mars' })
  }
  assert.equal(typeof calls, 'function')
})

test('every operation of the protocol is a method at run time, and hides nothing else of the client', () => {
  const own = ['call', 'stream', 'all', 'credentials']
  const ids = Object.values<object | string | number>(protocol).flatMap(each =>
    typeof each === 'object' && 'access' in each && 'id' in each ? [String(each.id)] : [],
  )
  assert.ok(ids.length >= 120)
  assert.deepEqual(Object.keys(routes).sort(), ids.sort())
  const client = new Sandglass()
  for (const id of ids) {
    assert.equal(typeof client[id as keyof Sandglass], 'function')
    assert.ok(!own.includes(id))
  }
})
