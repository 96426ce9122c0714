import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { Sandbox } from '@sandglass/protocol'
import { eventsWhen } from '../../testing/events-when.ts'
import { startMachineService } from '../../testing/test-machines.ts'
import type { Answer } from '../../testing/test-service.ts'

const { service } = await startMachineService()
const code = ({ status, body }: Answer) => [status, body?.code]
const patch = (id: string, body: object, key?: string) =>
  service.call('PATCH', `~/sandboxes/${id}`, { body, ...(key !== undefined && { key }) })

/** In the order of their creation. */
const names = ['delta', 'Alpha', 'charlie', 'BRAVO', 'delta'] as const
const lifeSeconds = [5000, 4000, 3000, 2000, 1000] as const
const made: string[] = []

async function create(name: string, more: object = {}): Promise<string> {
  const { status, body, text } = await service.post('~/sandboxes', { shapeName: 'small', name, ...more })
  assert.equal(status, 200, text)
  return body.id
}

async function isRunning(id = ''): Promise<void> {
  await waitFor(
    async () => (await service.get(`~/sandboxes/${id}?wait=60`)).body.sandbox.status === 'RUNNING',
  )
}

before(async () => {
  for (const [index, name] of names.entries())
    made.push(await create(name, { labels: { list: 'sorted' }, maxLifeSeconds: lifeSeconds[index] }))
})

const list = (query: string) => service.get(`~/sandboxes?label=list%3Dsorted&${query}`)

/** Reads all pages of a list, and requires that each of them says how many sandboxes there are. */
async function pages(query: string, total: number): Promise<Sandbox[]> {
  const listed: Sandbox[] = []
  let cursor: string | null = null
  do {
    const answer: Answer = await list(`${query}${cursor === null ? '' : `&cursor=${cursor}`}`)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers.get('x-total-count'), String(total))
    listed.push(...answer.body)
    cursor = answer.headers.get('x-next-cursor')
  } while (cursor !== null)
  return listed
}

test('a list is sorted by what the caller wants, on pages of any length', async () => {
  const byName = [...names.keys()].sort((a, b) => {
    const [one = '', other = ''] = [names[a]?.toLowerCase(), names[b]?.toLowerCase()]
    return one < other || (one === other && (made[a] ?? '') < (made[b] ?? '')) ? -1 : 1
  })
  const orders: readonly (readonly [string, readonly number[]])[] = [
    ['createdAt', [0, 1, 2, 3, 4]],
    ['expiresAt', [4, 3, 2, 1, 0]],
    ['name', byName],
  ]
  for (const [sort, order] of orders)
    for (const limit of [1, 2, 5, 100])
      for (const [direction, expected] of [
        ['', order],
        ['-', order.toReversed()],
      ] as const) {
        const listed = await pages(`sort=${direction}${sort}&limit=${limit}`, names.length)
        assert.deepEqual(
          listed.map(({ id }) => made.indexOf(id)),
          expected,
          `${direction}${sort} ${limit}`,
        )
      }
})

test('a list is sorted by status, also if sandboxes have the same one', async () => {
  // A sandbox whose status changes between two pages moves to another place in the list, and may be on none of them.
  for (const id of made) await isRunning(id)
  assert.equal((await service.post(`~/sandboxes/${made[0]}/pause`)).status, 200)
  const up = await pages('sort=status&limit=2', names.length)
  assert.equal(up.at(-1)?.id, made[0])
  assert.deepEqual(up.map(({ id }) => id).toSorted(), made.toSorted())
  const down = await pages('sort=-status&limit=2', names.length)
  assert.equal(down[0]?.id, made[0])
  assert.deepEqual(down.map(({ id }) => id).toSorted(), made.toSorted())
})

test('a search finds a part of a name or of an id, in upper or lower case, and nothing else', async () => {
  const found = async (text: string) =>
    (await pages(`search=${encodeURIComponent(text)}&sort=createdAt`, await count(text))).map(({ id }) =>
      made.indexOf(id),
    )
  const count = async (text: string) =>
    (await list(`search=${encodeURIComponent(text)}`)).body.length as number
  assert.deepEqual(await found('ALPH'), [1])
  assert.deepEqual(await found('rav'), [3])
  assert.deepEqual(await found('delta'), [0, 4])
  assert.deepEqual(await found((made[2] ?? '').slice(3, 20).toUpperCase()), [2])
  assert.deepEqual(await found('%'), [])
  assert.deepEqual(await found('_'), [])
  assert.deepEqual(await found("'"), [])
  assert.equal((await pages('search=delta&limit=1', 2)).length, 2)
  assert.deepEqual(code(await list('search=%00')), [400, 'request.INVALID'])
})

test('a cursor belongs to one order, and one that was made up is refused', async () => {
  const cursor = (await list('sort=name&limit=2')).headers.get('x-next-cursor')
  assert.equal((await list(`sort=name&cursor=${cursor}`)).status, 200)
  const invented = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
  for (const query of [
    `sort=-name&cursor=${cursor}`,
    `cursor=${cursor}`,
    `sort=name&cursor=${invented('name', '\0', 'x')}`,
    `cursor=${invented('createdAt', 'yesterday', 'x')}`,
    `cursor=${invented('createdAt', 1, 'x')}`,
    `cursor=${invented('createdAt')}`,
    'sort=price',
  ])
    assert.deepEqual(code(await list(query)), [400, 'request.INVALID'], query)
})

test('a sandbox gets another name and other labels, which lists, events and forks have at once', async () => {
  const id = await create('before', { labels: { kept: 'yes' } })
  await isRunning(id)
  // It is in the cache of sandboxes that agents act in.
  assert.equal((await service.post(`~/sandboxes/${id}/process`, { executable: 'true' })).status, 200)
  const renamed = await patch(id, { name: ' after ' })
  assert.equal(renamed.status, 200, renamed.text)
  assert.deepEqual([renamed.body.name, renamed.body.labels], ['after', { kept: 'yes' }])
  const relabelled = await patch(id, { labels: { team: 'shop' } })
  assert.deepEqual([relabelled.body.name, relabelled.body.labels], ['after', { team: 'shop' }])
  assert.deepEqual((await patch(id, {})).body.labels, { team: 'shop' })

  const found = await service.get('~/sandboxes?search=after&label=team%3Dshop')
  assert.deepEqual(
    found.body.map((one: Sandbox) => one.id),
    [id],
  )
  const { body: forks } = await service.post(`~/sandboxes/${id}/fork`)
  const { sandbox: fork } = forks.results[0]
  assert.deepEqual([fork.name, fork.labels], ['after', { team: 'shop' }])
  const updates = `~/events?subject=${id}&types=sandbox.updated`
  const events = await eventsWhen(service, updates, ({ length }) => length >= 2)
  assert.deepEqual(
    events.map(({ data }) => data),
    [
      { name: 'after', labels: { kept: 'yes' } },
      { name: 'after', labels: { team: 'shop' } },
    ],
  )
  for (const one of [id, fork.id]) await service.remove(`~/sandboxes/${one}`)
  const ended = await service.get('~/sandboxes?ended=true&search=after&sort=name')
  assert.equal(ended.headers.get('x-total-count'), '2')
})

test('a change of a sandbox that is not valid or not allowed changes nothing', async () => {
  const [id = ''] = made
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`label${index}`, '']))
  for (const body of [{ name: '' }, { name: 'a\nb' }, { labels: { '': 'x' } }, { labels: many }])
    assert.deepEqual(code(await patch(id, body)), [400, 'request.INVALID'])
  assert.deepEqual(code(await patch(id, { name: 'x' }, await service.keyOf('viewer'))), [
    403,
    'auth.FORBIDDEN',
  ])
  assert.deepEqual(code(await patch('absent', { name: 'x' })), [404, 'sandbox.NOT_FOUND'])
  assert.equal((await service.get(`~/sandboxes/${id}`)).body.sandbox.name, 'delta')
})
