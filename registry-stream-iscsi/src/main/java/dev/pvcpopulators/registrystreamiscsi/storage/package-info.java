/// The documents and the lock in the volume's directory, and the texts of exceptions for messages.
@NullMarked
package dev.pvcpopulators.registrystreamiscsi.storage;

import org.jspecify.annotations.NullMarked;
