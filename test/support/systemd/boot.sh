#!/bin/bash
# boot.sh ROOT SCRATCH CGROUP: boots the systemd of the system in ROOT, as process 1 of namespaces of its own, with this
# machine's network. ROOT stays as it is: all that is written goes to memory, mounted over it at SCRATCH. CGROUP is a
# folder of its own in a hierarchy of cgroup2. Nothing outside the namespaces and CGROUP is touched. Ends when it is
# killed, and everything inside ends with it.
set -eu
echo $$ >"$3/cgroup.procs"
# shellcheck disable=SC2016 # the inner shell expands what is in it
exec unshare --mount --uts --ipc --cgroup --pid --fork --kill-child --propagation private bash -euc '
  mount -t tmpfs tmpfs "$1"
  mkdir "$1/upper" "$1/work" "$1/root"
  mount -t overlay -o "lowerdir=$0,upperdir=$1/upper,workdir=$1/work" overlay "$1/root"
  cd "$1/root"
  mount -t proc proc proc
  # What systemd-sysctl sets is the kernel that everyone shares.
  mount --bind proc/sys proc/sys
  mount -o remount,bind,ro proc/sys
  mount -t sysfs -o ro sysfs sys
  mount -t cgroup2 cgroup2 sys/fs/cgroup
  mount -t tmpfs -o mode=755 tmpfs dev
  for node in "null 1 3" "zero 1 5" "full 1 7" "random 1 8" "urandom 1 9" "tty 5 0"; do
    set -- $node
    mknod -m 666 "dev/$1" c "$2" "$3"
  done
  mkdir dev/pts dev/shm
  mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
  mount -t tmpfs tmpfs dev/shm
  ln -s pts/ptmx dev/ptmx
  ln -s /proc/self/fd dev/fd
  for stream in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${stream%:*}" "dev/${stream#*:}"; done
  mount -t tmpfs -o mode=755 tmpfs run
  mount -t tmpfs -o mode=1777 tmpfs tmp
  mkdir -p .outside
  pivot_root . .outside
  umount -l /.outside
  # Without it the folders of LoadCredential are empty.
  mount --make-rshared /
  export container=test
  exec /lib/systemd/systemd --system --log-target=journal --show-status=0 --unit=multi-user.target
' "$1" "$2"
