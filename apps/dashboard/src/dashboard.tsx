import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './styles/dashboard.css'
import { App } from './app/app.tsx'
import { followTheme } from './app/theme.ts'

followTheme()
const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
