import type { Sandglass } from '@sandglass/client'
import { command } from '../command-definition.ts'
import type { Context } from '../context.ts'
import { deleteCommand } from '../delete-command.ts'
import { findByName } from '../find-by-name.ts'
import { listCommand } from '../list-command.ts'
import { formatTime } from '../quantities.ts'

function webhooksKind(client: Sandglass, { signal }: Context) {
  return {
    noun: 'webhook',
    plural: 'webhooks',
    listedBy: 'sandglass webhooks list',
    list: () => client.listWebhooks({}, { signal }),
  }
}

const list = listCommand({
  summary: 'List the webhooks of the organization.',
  examples: [{ command: 'sandglass webhooks list', explanation: 'Which there are, and which of them fail.' }],
  fetch: (client, _, { signal }) => client.listWebhooks({}, { signal }),
  view: {
    columns: [
      { title: 'ID', value: ({ id }) => id },
      { title: 'URL', value: ({ url }) => url },
      { title: 'TYPES', value: ({ types }) => types?.join(', ') ?? 'all' },
      {
        title: 'STATE',
        value: ({ enabled, disabledReason }) => (enabled ? 'enabled' : `disabled (${disabledReason})`),
      },
      { title: 'FAILING SINCE', value: ({ failingSince }) => formatTime(failingSince) },
      { title: 'DESCRIPTION', value: ({ description }) => description, isOptional: true },
    ],
    nameOf: ({ id }) => id,
    empty: 'There are no webhooks. `sandglass webhooks create` makes one.',
  },
})

const create = command<{ type?: string[]; description?: string }>({
  name: 'create',
  summary: 'Create a webhook, and print the secret that signs its messages. It is not shown again.',
  arguments: [{ syntax: '<url>', description: 'Where events are sent.' }],
  options: [
    {
      flags: '-t, --type <type>',
      description: 'Only these events, such as sandbox.created or sandbox.*.',
      isRepeatable: true,
    },
    { flags: '-d, --description <text>', description: 'What it is for.' },
  ],
  examples: [
    {
      command: "sandglass webhooks create WEBHOOK_URL --type 'sandbox.*'",
      explanation: 'What happens to sandboxes.',
    },
  ],
  async run(context, { args: [url = ''], options: { type, description } }) {
    const body = { url, ...(type && { types: type }), ...(description && { description }) }
    // Not with the signal: a secret that nobody has seen would be left.
    const webhook = await (await context.client()).createWebhook({ body })
    context.output.done(webhook, webhook.id, webhook.secret ?? '')
    context.note(`This is the secret of webhook ${webhook.id}. It is not shown again.`)
  },
})

const test = command({
  name: 'test',
  summary: 'Send a test message to a webhook.',
  arguments: [{ syntax: '<webhook>', description: 'Its id or the beginning of it.', completes: 'webhooks' }],
  examples: [
    {
      command: 'sandglass webhooks test WEBHOOK',
      explanation: 'Whether it arrives is among its deliveries.',
    },
  ],
  async run(context, { args: [text = ''] }) {
    const client = await context.client()
    const { id: webhookId } = await findByName(text, webhooksKind(client, context))
    const delivery = await client.testWebhook({ webhookId }, { signal: context.signal })
    context.output.done(
      delivery,
      delivery.id,
      `Sending ${delivery.type}. \`sandglass webhooks deliveries ${webhookId}\` shows what became of it.`,
    )
  },
})

const deliveries = command<{ failed?: boolean }>({
  name: 'deliveries',
  summary: 'List the last messages to a webhook, and what became of them.',
  arguments: [{ syntax: '<webhook>', description: 'Its id or the beginning of it.', completes: 'webhooks' }],
  options: [{ flags: '--failed', description: 'Only those that failed.' }],
  examples: [{ command: 'sandglass webhooks deliveries WEBHOOK', explanation: 'Newest first.' }],
  async run(context, { args: [text = ''], options: { failed } }) {
    const client = await context.client()
    const { id: webhookId } = await findByName(text, webhooksKind(client, context))
    const page = await client.listWebhookDeliveries(
      { webhookId, ...(failed && { status: 'failed' }) },
      { signal: context.signal },
    )
    context.output.list(page.deliveries, {
      columns: [
        { title: 'ID', value: ({ id }) => id },
        { title: 'TYPE', value: ({ type }) => type },
        { title: 'STATUS', value: ({ status }) => status },
        { title: 'ATTEMPTS', value: ({ attempts }) => String(attempts), isNumber: true },
        { title: 'ANSWER', value: ({ lastStatus, lastError }) => lastError ?? String(lastStatus ?? '') },
        { title: 'CREATED', value: ({ createdAt }) => formatTime(createdAt), isOptional: true },
      ],
      nameOf: ({ id }) => id,
      empty: 'Nothing was sent yet.',
    })
  },
})

const remove = deleteCommand({
  summary: 'Delete webhooks and their deliveries.',
  noun: 'webhook',
  completes: 'webhooks',
  examples: [
    { command: 'sandglass webhooks delete WEBHOOK --yes', explanation: 'Nothing is sent there any more.' },
  ],
  kind: webhooksKind,
  remove: (client, webhookId, { signal }) => client.deleteWebhook({ webhookId }, { signal }),
})

export default command({
  name: 'webhooks',
  aliases: ['webhook'],
  summary: 'Addresses that events are sent to.',
  commands: [list, create, test, deliveries, remove],
})
