//! The guards, put up in the order in which each still lets the next be put up.

use crate::{Confinement, Guard, Limits};

/// Gives up everything that a computation does not need.
#[cfg(target_os = "linux")]
pub(super) fn enter(limits: &Limits, memory: Guard) -> Confinement {
    let descriptors = Guard::of(super::raw::close_inherited_descriptors());
    let privileges = Guard::of(rustix::thread::set_no_new_privs(true));
    // A file is read here, and Landlock's ruleset needs a descriptor.
    let mapped = linux::mapped_bytes();
    let files = linux::close_file_system();
    let resources = Guard::of(mapped.and_then(|mapped| linux::limit_resources(limits, mapped)));
    Confinement {
        memory,
        descriptors,
        resources,
        privileges,
        files,
        system_calls: Guard::of(linux::filter_system_calls()),
    }
}

/// Elsewhere only the languages themselves confine a program.
#[cfg(not(target_os = "linux"))]
pub(super) fn enter(_limits: &Limits, memory: Guard) -> Confinement {
    let unavailable = || Guard::Unavailable("this system is not Linux".to_owned());
    Confinement {
        memory,
        descriptors: unavailable(),
        resources: unavailable(),
        privileges: unavailable(),
        files: unavailable(),
        system_calls: unavailable(),
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;

    use landlock::{ABI, Access as _, AccessFs, AccessNet, Ruleset, RulesetAttr as _, RulesetStatus, Scope};
    use rustix::process::{Resource, Rlimit, setrlimit};
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

    use crate::{Guard, Limits, worker::processor_seconds};

    /// Address space beside what is counted: stack, allocator slack, one value that grows by doubling.
    const HEADROOM_BYTES: usize = 64 << 20;

    pub(super) fn limit_resources(limits: &Limits, mapped: usize) -> io::Result<()> {
        let address_space = mapped + 2 * limits.memory_bytes + HEADROOM_BYTES;
        for (resource, most) in [
            (Resource::As, address_space as u64),
            (Resource::Cpu, processor_seconds(limits.time)),
            // The three pipes are open; nothing else can be.
            (Resource::Nofile, 3),
            (Resource::Fsize, 0),
            (Resource::Nproc, 0),
            (Resource::Core, 0),
        ] {
            let limit = Rlimit {
                current: Some(most),
                maximum: Some(most),
            };
            setrlimit(resource, limit)?;
        }
        Ok(())
    }

    /// What is mapped now: the binary itself, mostly.
    pub(super) fn mapped_bytes() -> io::Result<usize> {
        let sizes = std::fs::read_to_string("/proc/self/statm")?;
        let pages: usize = sizes
            .split_whitespace()
            .next()
            .and_then(|pages| pages.parse().ok())
            .ok_or_else(|| io::Error::other("/proc/self/statm has no size"))?;
        Ok(pages * rustix::param::page_size())
    }

    /// A ruleset that handles every right and grants none.
    pub(super) fn close_file_system() -> Guard {
        let abi = ABI::V6;
        let entered = Ruleset::default()
            .handle_access(AccessFs::from_all(abi))
            .and_then(|rules| rules.handle_access(AccessNet::from_all(abi)))
            .and_then(|rules| rules.scope(Scope::from_all(abi)))
            .and_then(Ruleset::create)
            .and_then(landlock::RulesetCreated::restrict_self);
        match entered {
            Ok(status) => match status.ruleset {
                RulesetStatus::FullyEnforced => Guard::Enforced,
                RulesetStatus::PartiallyEnforced => Guard::Partial("an older Landlock".to_owned()),
                RulesetStatus::NotEnforced => Guard::Unavailable("no Landlock in this kernel".to_owned()),
            },
            Err(error) => Guard::Unavailable(error.to_string()),
        }
    }

    /// What computing, answering and dying properly need. Anything else fails with `EPERM`: an interpreter that asks
    /// for randomness or the time of day in an unusual way goes on without, an escape gets nowhere.
    const ALLOWED: &[libc::c_long] = &[
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_writev,
        libc::SYS_close,
        libc::SYS_fstat,
        libc::SYS_lseek,
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_mprotect,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_futex,
        libc::SYS_clock_gettime,
        libc::SYS_gettimeofday,
        libc::SYS_getrandom,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_tgkill,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_sched_yield,
        libc::SYS_restart_syscall,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];

    pub(super) fn filter_system_calls() -> Result<(), seccompiler::Error> {
        let filter = SeccompFilter::new(
            ALLOWED.iter().map(|call| (*call, Vec::new())).collect(),
            SeccompAction::Errno(libc::EPERM as u32),
            SeccompAction::Allow,
            std::env::consts::ARCH.try_into()?,
        )?;
        seccompiler::apply_filter(&BpfProgram::try_from(filter)?)
    }
}
