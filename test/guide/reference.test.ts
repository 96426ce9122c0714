import { test } from 'node:test'
import { Reader } from './support/reader.ts'

const reader = await Reader.create()
await reader.startService()

/** Pages whose commands need nothing but a running service. */
const pages = ['actions', 'inside', 'phones-simulator', 'snapshots', 'volumes', 'webhooks']

for (const page of pages)
  test(`the commands of docs/${page}.md can be pasted in order`, async () => {
    await reader.paste(`docs/${page}.md`)
  })
