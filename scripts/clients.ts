/**
 * Checks the OpenAPI document with Spectral, and generates and compiles clients in Python and Java from it. By hand, because it needs
 * Python, Java, Maven and a network. `bun scripts/clients.ts [spectral|python|java]`
 */
import { $ } from 'bun'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const DOCUMENT = resolve('src/openapi.gen.json')
const SPECTRAL = '@stoplight/spectral-cli@6.16.3'
const PYTHON = 'openapi-python-client==0.29.1'
/** A Python package that brings the generator, which is a Java program. */
const JAVA = 'openapi-generator-cli==7.26.0'
const MAVEN = 'mvn'

async function spectral(folder: string): Promise<void> {
  await Bun.write(join(folder, 'rules.yaml'), 'extends: ["spectral:oas"]\n')
  await $`bunx --bun ${SPECTRAL} lint ${DOCUMENT} --ruleset rules.yaml`.cwd(folder)
}

async function python(folder: string): Promise<void> {
  const tools = await install(folder, PYTHON)
  const generator = join(tools, 'openapi-python-client')
  await $`${generator} generate --path ${DOCUMENT} --output-path client`.cwd(folder)
  await $`${join(tools, 'python')} -m compileall -q client`.cwd(folder)
}

async function java(folder: string): Promise<void> {
  const tools = await install(folder, JAVA)
  const generator = join(tools, 'openapi-generator-cli')
  await $`${generator} generate -i ${DOCUMENT} -g java --library okhttp-gson -o client`
    .cwd(folder)
    .quiet()
  await $`${MAVEN} -q -DskipTests compile`.cwd(join(folder, 'client'))
}

async function install(folder: string, tool: string): Promise<string> {
  const tools = join(folder, 'tools', 'bin')
  await $`python3 -m venv tools`.cwd(folder)
  await $`${join(tools, 'pip')} install -q ${tool}`
  return tools
}

const CHECKS = { spectral, python, java }

const wanted = process.argv.slice(2)
for (const [name, check] of Object.entries(CHECKS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const folder = await mkdtemp(join(tmpdir(), `portico-${name}-`))
  await check(folder)
  console.log(`${name}: passed, in ${folder}`)
}
