export { patienceMs, waitFor } from './wait-for.ts'
