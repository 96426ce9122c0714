/** Flags of rfbproto's ServerFence and ClientFence. */
export const fenceFlags = { blockBefore: 1, blockAfter: 2, syncNext: 4, request: 0x8000_0000 } as const

export const maxFencePayload = 64
