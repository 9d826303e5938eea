"""The rules of scripts/check_style.py: cpp.py reads C and C++, rules.py judges single files, tree.py the whole tree."""
