package dev.pvcpopulators.it.torture;

/// The registry answers with errors, or lies.
non-sealed interface RegistryFault extends Fault {}
