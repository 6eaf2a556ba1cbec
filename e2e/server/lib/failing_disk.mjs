// A disk whose file system turns read-only, as a real one does after an error of its hardware.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { atEnd, isRoot, scratch } from './service.mjs';

/** Reason why this machine has no such disks; undefined if it has. */
export function missing() {
  if (!isRoot()) return 'only root can mount a file system';
  if (!fs.existsSync('/dev/loop-control') || spawnSync('mkfs.ext4', ['-V']).error) return 'no loop devices, or no mkfs.ext4';
  return undefined;
}

/** Mounts an ext4 file system of `size` (`64M`) in a file at a new folder; unmounted when the test ends. */
export function failingDisk(test, size) {
  const folder = scratch(test);
  const [image, mounted] = [path.join(folder, 'image'), path.join(folder, 'disk')];
  fs.mkdirSync(mounted);
  run('truncate', '--size', size, image);
  run('mkfs.ext4', '-q', '-F', image);
  const unmount = () => spawnSync('umount', [mounted]);
  const mount = () => run('mount', '-o', 'loop,errors=remount-ro', image, mounted);
  mount();
  atEnd(test, unmount);
  return {
    folder: mounted,
    /** Makes the file system read-only, by an error that is reported to the kernel. */
    fail() {
      const device = path.basename(run('findmnt', '--noheadings', '--output', 'SOURCE', mounted).trim());
      fs.writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, 'test');
    },
    /** Checks the file system and mounts it again, as an operator does. */
    repair() {
      run('umount', mounted);
      // 1: errors were found and corrected.
      run('sh', '-c', 'fsck.ext4 -p -f "$1" || [ $? = 1 ]', 'sh', image);
      mount();
    },
  };
}

function run(program, ...args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error ?? stderr}`);
  return stdout;
}
