import type { BackoffOptions } from '@sandglass/supervision'

/**
 * The backoff for connections to a desktop. A desktop is back within about a second, so longer delays gain nothing.
 */
export const linkBackoff: BackoffOptions = { firstMs: 100, maxMs: 3000, steadyMs: 1000 }
