/// The files of the volume's directory: documents, the directory's lock, and readable reasons of
/// failures.
@NullMarked
package dev.pvcpopulators.registrystreamiscsi.storage;

import org.jspecify.annotations.NullMarked;
