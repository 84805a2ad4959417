/// The files of the volume's directory: documents, its lock, reasons of failures for people.
@NullMarked
package dev.pvcpopulators.registrystreamiscsi.storage;

import org.jspecify.annotations.NullMarked;
