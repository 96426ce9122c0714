export { heldDownScript } from './held-down.ts'
export { patienceMs, waitFor } from './wait-for.ts'
