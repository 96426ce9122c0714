import { randomBytes } from 'node:crypto'
import {
  ApiError,
  type CreateWebhookRequest,
  type Plan,
  type UpdateWebhookRequest,
} from '@sandglass/protocol'
import type { EnvironmentSeal } from '../../auth/environment-seal.ts'
import type { DatabaseClock } from '../../db/clock.ts'
import type { Tx } from '../../db/database.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { lockPlanOfOrganization } from '../plans/store.ts'
import { testMessage } from './delivery/message.ts'
import { announceWork, type DeliveryRow, insertDelivery, sendAgain } from './delivery-store.ts'
import { newWebhookSecret, openSecrets, sealSecrets } from './secrets.ts'
import {
  countWebhooks,
  insertWebhook,
  lockWebhook,
  rotateSecrets,
  updateWebhookRow,
  type WebhookRow,
} from './store.ts'

/** What one event can cause, and the size of the response of listWebhooks, which has no pages. */
const maxWebhooks = 100

/** How many webhooks an organization with this plan can have. */
export function webhookLimit({ webhooks }: Pick<Plan, 'webhooks'>): number {
  return Math.min(webhooks ?? maxWebhooks, maxWebhooks)
}

/** A webhook with its secret, which is shown once. */
export interface RowWithSecret {
  readonly row: WebhookRow
  readonly secret: string
}

/** Changes webhooks within the transaction of a call. */
export class WebhookService {
  readonly #seal: EnvironmentSeal
  readonly #outbound: Outbound
  /** The time of the database. */
  readonly now: () => number

  constructor(seal: EnvironmentSeal, outbound: Outbound, clock: Pick<DatabaseClock, 'now'>) {
    this.#seal = seal
    this.#outbound = outbound
    this.now = clock.now
  }

  async create(tx: Tx, orgId: string, request: CreateWebhookRequest): Promise<RowWithSecret> {
    this.#outbound.requireCallable(request.url)
    await requireQuota(tx, orgId)
    const id = `whk-${randomBytes(8).toString('hex')}`
    const secret = newWebhookSecret()
    const sealedSecrets = sealSecrets(this.#seal, id, { secret })
    return { row: await insertWebhook(tx, { ...request, id, orgId, sealedSecrets }), secret }
  }

  async update(tx: Tx, orgId: string, id: string, request: UpdateWebhookRequest): Promise<WebhookRow> {
    const { url, description, types, enabled } = request
    if (url !== undefined) this.#outbound.requireCallable(url)
    const before = await requireWebhook(tx, orgId, id)
    const isEnabledAgain = enabled === true && !before.enabled
    const isDisabled = enabled === false && before.enabled
    const changes = {
      ...(url !== undefined && { url }),
      ...(description !== undefined && { description }),
      ...(types !== undefined && { types }),
      ...(isEnabledAgain && { enabled, disabled_reason: null, failing_since: null, not_before: null }),
      ...(isDisabled && { enabled, disabled_reason: 'requested' as const }),
    }
    return Object.keys(changes).length > 0 ? await updateWebhookRow(tx, id, changes) : before
  }

  /** A secret whose key is gone is replaced without signing any longer. */
  async rotate(tx: Tx, orgId: string, id: string): Promise<RowWithSecret> {
    const { sealed_secrets: sealed } = await requireWebhook(tx, orgId, id)
    const previous = openSecrets(this.#seal, id, sealed)?.secret
    const secret = newWebhookSecret()
    const resealed = sealSecrets(this.#seal, id, { secret, previous })
    return { row: await rotateSecrets(tx, id, resealed, previous !== undefined), secret }
  }

  async test(tx: Tx, orgId: string, id: string): Promise<DeliveryRow> {
    requireEnabled(await requireWebhook(tx, orgId, id))
    const delivery = await insertDelivery(tx, id, testMessage(id, this.now()))
    await announceWork(tx, orgId)
    return delivery
  }

  async redeliver(tx: Tx, orgId: string, id: string, deliveryId: string): Promise<DeliveryRow> {
    requireEnabled(await requireWebhook(tx, orgId, id))
    const delivery = isDeliveryId(deliveryId) ? await sendAgain(tx, id, deliveryId) : undefined
    if (!delivery) throw new ApiError('delivery.NOT_FOUND')
    await announceWork(tx, orgId)
    return delivery
  }
}

/** Whether a text can be the id of a delivery, which is a 64-bit number. */
export function isDeliveryId(text: string): boolean {
  return /^[1-9]\d{0,17}$/.test(text)
}

export async function requireWebhook(tx: Tx, orgId: string, id: string): Promise<WebhookRow> {
  const webhook = await lockWebhook(tx, orgId, id)
  if (!webhook) throw new ApiError('webhook.NOT_FOUND')
  return webhook
}

function requireEnabled({ enabled }: WebhookRow): void {
  if (!enabled) throw new ApiError('webhook.DISABLED')
}

/** Locks the organization, so that two concurrent creates cannot both use the last of the quota. */
async function requireQuota(tx: Tx, orgId: string): Promise<void> {
  const plan = await lockPlanOfOrganization(tx, orgId)
  if (!plan) throw new ApiError('organization.NOT_FOUND')
  const max = webhookLimit(plan)
  if ((await countWebhooks(tx, orgId)) >= max)
    throw new ApiError('webhook.TOO_MANY', { message: `The organization can have ${max} webhooks.` })
}
