// The program beside the page: what tests compare it with, and what it writes for it.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { PAGE, ROOT } from "./browser.mjs";
import { Skip } from "./suite.mjs";

const PROGRAM = process.env.CORDAGE ?? join(ROOT, "build/cordage");
const ENVIRONMENT = { ...process.env, CORDAGE_WEB: dirname(PAGE), CORDAGE_SCENES: join(ROOT, "scenes") };

function program() {
    if (!existsSync(PROGRAM)) {
        throw new Skip(`there is no ${PROGRAM} (CORDAGE names another one)`);
    }
    return PROGRAM;
}

// What it prints, both ways.
export function cordage(...words) {
    return execFileSync("sh", ["-c", 'exec "$0" "$@" 2>&1', program(), ...words], { env: ENVIRONMENT, encoding: "utf8", maxBuffer: 1e9 });
}

// `cordage view WORDS`, until `work`, which gets the address, is done.
export async function viewing(words, work) {
    const server = spawn(program(), ["view", "--no-browser", ...words], { env: ENVIRONMENT, stdio: ["ignore", "pipe", "ignore"] });
    try {
        const address = await new Promise((resolve, reject) => {
            createInterface(server.stdout).once("line", resolve);
            server.once("exit", (status) => reject(new Error(`view ended with ${status}`)));
        });
        return await work(address);
    } finally {
        server.kill("SIGINT");
    }
}

// The hash of the state in which a run ends.
export function finalState(...words) {
    return /state ([0-9a-f]{16})/.exec(cordage("run", ...words, "--no-recording"))[1];
}

export function hasRecordings() {
    return /features.*hdf5/.test(cordage("--version"));
}

// `work` gets a folder, which is gone afterwards.
export async function inFolder(work) {
    const folder = mkdtempSync(join(tmpdir(), "cordage-web-"));
    try {
        return await work(folder);
    } finally {
        rmSync(folder, { recursive: true });
    }
}
